package scenario

import (
	"cmp"
	"encoding/xml"
	"time"
)

// Report is what came of one fixture, for JUnit.
type Report struct {
	File, Name string
	Took       time.Duration
	Missed     error // an expectation was not met
	Failed     error // it could not be run
}

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Time     float64     `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string     `xml:"name,attr"`
	Class   string     `xml:"classname,attr"`
	File    string     `xml:"file,attr"`
	Time    float64    `xml:"time,attr"`
	Failure *junitText `xml:"failure"`
	Error   *junitText `xml:"error"`
}

type junitText struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// JUnit writes the reports as a test suite in JUnit's XML.
func JUnit(reports []Report) ([]byte, error) {
	suite := junitSuite{Name: "loopgauge", Tests: len(reports)}
	for _, r := range reports {
		c := junitCase{Name: cmp.Or(r.Name, r.File), Class: "loopgauge", File: r.File, Time: r.Took.Seconds()}
		switch {
		case r.Failed != nil:
			suite.Errors++
			c.Error = &junitText{"could not be run", r.Failed.Error()}
		case r.Missed != nil:
			suite.Failures++
			c.Failure = &junitText{"an expectation was not met", r.Missed.Error()}
		}
		suite.Time += c.Time
		suite.Cases = append(suite.Cases, c)
	}
	out, err := xml.MarshalIndent(suite, "", "  ")
	if err != nil {
		return nil, err
	}
	return append([]byte(xml.Header), append(out, '\n')...), nil
}
