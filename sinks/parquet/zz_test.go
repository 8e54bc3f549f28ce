package parquet
import ("testing";"io";"errors";"os"
"github.com/loopgauge/loopgauge/window/policy"
"github.com/loopgauge/loopgauge/window")
func BenchmarkZZ(b *testing.B){
 for b.Loop() {
 r,err:=Open(os.Getenv("ZZ")); if err!=nil{b.Fatal(err)}
 p,err:=policy.Parse("x",[]byte(r.Run.Policy)); if err!=nil{b.Fatal(err)}
 plan:=window.NewPlan(p.Rules,p.Exclude)
 if err:=r.Prepare(plan,plan);err!=nil{b.Fatal(err)}
 n:=0
 for { _,err:=r.Next(); if errors.Is(err,io.EOF){break}; if err!=nil{b.Fatal(err)}; n++}
 b.ReportMetric(float64(n),"events")
 }
}
