package main

import "github.com/spf13/cobra"

// What a shell that completes commands offers beside words.
const (
	noFiles = cobra.ShellCompDirectiveNoFileComp
	files   = cobra.ShellCompDirectiveDefault
)

// offering offers the words of a table.
func offering(words func() []string, beside cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) { return words(), beside }
}

// offer offers them as values of a flag.
func offer(c *cobra.Command, flag string, words func() []string, beside cobra.ShellCompDirective) {
	if err := c.RegisterFlagCompletionFunc(flag, offering(words, beside)); err != nil {
		panic(err) // there is no such flag
	}
}
