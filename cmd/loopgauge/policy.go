package main

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/loopgauge/loopgauge/replay/term"
	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window/policy"
)

func newPolicyCommand(u *ui) *cobra.Command {
	c := &cobra.Command{
		Use:   "policy",
		Short: "Check, format, list and translate policies and profiles",
	}
	group(c)
	c.AddCommand(newPolicyCheck(u), newPolicyFmt(u), newPolicySchema(u), newPolicyProfiles(u), newPolicyImport(u), newPolicyExport(u))
	return c
}

var policyArgs = some("no policy given: name a file")

func newPolicyCheck(u *ui) *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE...",
		Short: "Say everything that is wrong with a policy",
		Args:  policyArgs,
		RunE: func(_ *cobra.Command, files []string) error {
			var errs []error
			for _, file := range files {
				name, text, err := u.readText(file)
				var p *policy.Policy
				if err == nil {
					p, err = policy.Parse(name, text)
				}
				var hints []error
				if err == nil {
					hints, err = checkSinks(p)
				}
				if err != nil {
					errs = append(errs, err)
					continue
				}
				for _, hint := range hints {
					u.say("%v", hint)
				}
				fmt.Fprintf(u.stdout, "%s: ok, %s\n", name, term.Plural(int64(len(p.Rules)), "rule", "rules"))
			}
			return usage(errors.Join(errs...))
		},
	}
}

func newPolicyFmt(u *ui) *cobra.Command {
	var write bool
	c := &cobra.Command{
		Use:   "fmt FILE...",
		Short: "Print a policy in the usual form",
		Args:  policyArgs,
		RunE: func(_ *cobra.Command, files []string) error {
			for _, file := range files {
				if write && file == "-" {
					return usage(errors.New("-w writes a file, and - is standard input"))
				}
				name, text, err := u.readText(file)
				if err != nil {
					return usage(err)
				}
				out, err := policy.Format(name, text)
				if err != nil {
					return usage(err)
				}
				if !write {
					if err := u.print(string(out)); err != nil {
						return err
					}
					continue
				}
				if bytes.Equal(out, text) {
					continue
				}
				if err := sinks.WriteAtomic(file, out); err != nil {
					return err
				}
				u.say("%s: formatted", file)
			}
			return nil
		},
	}
	c.Flags().BoolVarP(&write, "write", "w", false, "write the file instead of printing it")
	return c
}

func newPolicySchema(u *ui) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of policies, for editors",
		Args:  atMost(0),
		RunE:  func(*cobra.Command, []string) error { return u.print(string(policy.Schema())) },
	}
}

func newPolicyProfiles(u *ui) *cobra.Command {
	return &cobra.Command{
		Use:   "profiles [NAME]",
		Short: "List the built-in profiles, or print one",
		Args:  atMost(1),

		ValidArgsFunction: offering(policy.ProfileNames, noFiles),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				for _, p := range policy.Profiles() {
					fmt.Fprintf(u.stdout, "%-22s %-13s %s\n", p.Name, p.Reading, p.Title)
				}
				return nil
			}
			p, err := policy.FindProfile(args[0])
			if err != nil {
				return usage(err)
			}
			return u.print(string(p.Text))
		},
	}
}
