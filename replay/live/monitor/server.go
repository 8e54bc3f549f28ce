package monitor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/loopgauge/loopgauge/replay/live"
)

// Options say what a Server shows.
type Options struct {
	Version string       // of loopgauge
	Pprof   bool         // serve profiles
	Log     *slog.Logger // for what goes wrong in serving
}

const (
	// alive is how long the loop may stand still before it counts as dead: long
	// enough for a checkpoint on a slow disk.
	alive = time.Minute
	// scrapes is how many may be under way at once: more are somebody's
	// mistake.
	scrapes = 4
	// grace is how long requests may take to end when the server closes.
	grace = time.Second
)

// Server serves /metrics, /healthz and /readyz.
type Server struct {
	http     *http.Server
	listener net.Listener
	served   chan error
}

// Start listens on addr, and serves until Close. Of a port alone, 9469 or
// :9469, only this machine hears; HOST:PORT says otherwise. now is a
// live.Status's Get.
func Start(addr string, now func() live.Now, o Options) (*Server, error) {
	addr, err := Address(addr)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	s := &Server{
		http: &http.Server{
			Handler:           handler(now, o, time.Now),
			ErrorLog:          slog.NewLogLogger(o.Log.Handler(), slog.LevelWarn),
			ReadHeaderTimeout: 5 * time.Second,
			ReadTimeout:       10 * time.Second,
			WriteTimeout:      30 * time.Second, // profiles ask for more themselves
			IdleTimeout:       2 * time.Minute,  // longer than any interval between scrapes
			MaxHeaderBytes:    16 << 10,
		},
		listener: l, served: make(chan error, 1),
	}
	go func() {
		err := s.http.Serve(l)
		if !errors.Is(err, http.ErrServerClosed) {
			o.Log.Error("metrics are no longer served", "error", err)
		}
		s.served <- err
	}()
	return s, nil
}

// Address is HOST:PORT of what is to be listened on: a port alone is one of this
// machine. It refuses what no machine could listen on.
func Address(addr string) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if alone := strings.TrimPrefix(addr, ":"); !strings.Contains(alone, ":") {
		host, port, err = "127.0.0.1", alone, nil
	}
	if _, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil {
		return "", fmt.Errorf("must be HOST:PORT, such as 127.0.0.1:9469, or a port of this machine alone, up to 65535; is %q", addr)
	}
	return net.JoinHostPort(host, port), nil
}

// Addr is where the server listens: HOST:PORT.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Close ends the server, and leaves a moment to requests that are under way.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.http.Close()
	}
	if served := <-s.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(served, err)
	}
	return err
}

// handler is all pages.
func handler(now func() live.Now, o Options, clock func() time.Time) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		newCollector(now, o.Version),
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	list := "loopgauge " + o.Version + "\n\n"
	mux := http.NewServeMux()
	page := func(path, what string, h http.Handler) {
		list += fmt.Sprintf("%-14s %s\n", path, what)
		mux.Handle("GET "+path, h)
	}
	page("/metrics", "for Prometheus", promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(o.Log.Handler(), slog.LevelWarn), MaxRequestsInFlight: scrapes,
	}))
	page("/healthz", "200 while the loop moves, else 503: restart it", check(func() string {
		n := now()
		if n.Heartbeat.IsZero() { // brokers that are away come no sooner for a restart
			return ""
		}
		if still := clock().Sub(n.Heartbeat); still > alive {
			return fmt.Sprintf("the loop has stood still for %s", still.Round(time.Second))
		}
		return ""
	}))
	page("/readyz", "200 when everything is being read and kept, else 503", check(func() string {
		n := now()
		return notReady(&n)
	}))
	if o.Pprof {
		page("/debug/pprof/", "profiles", http.HandlerFunc(pprof.Index))
		mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
		mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("POST /debug/pprof/symbol", pprof.Symbol) // go tool pprof posts
		mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	}
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		text(w, http.StatusOK, list)
	})
	return mux
}

// notReady says why a run is not ready; nothing if it is.
func notReady(n *live.Now) string {
	switch {
	case !n.Ready:
		return "the source is not being read yet"
	case n.Checkpoints == 0 && len(n.Lanes) > 0:
		return "no checkpoint is written yet"
	}
	return ""
}

// check answers 200 if wrong has nothing to say, else 503 with it.
func check(wrong func() string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if why := wrong(); why != "" {
			text(w, http.StatusServiceUnavailable, why+"\n")
			return
		}
		text(w, http.StatusOK, "ok\n")
	})
}

func text(w http.ResponseWriter, code int, body string) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(code)
	fmt.Fprint(w, body)
}
