package window

import (
	"reflect"
	"testing"
)

// TestAccountsAddUp: Add leaves no number out.
func TestAccountsAddUp(t *testing.T) {
	var a RuleAccount
	for name, n := range numbersOf(&a) {
		n.SetInt(int64(len(name)))
	}
	b := a
	a.Add(&b)
	for name, n := range numbersOf(&a) {
		if want := 2 * int64(len(name)); n.Int() != want {
			t.Errorf("%s is %d, want %d", name, n.Int(), want)
		}
	}
}

// numbersOf are the numbers of an account by the names of their fields.
func numbersOf(a *RuleAccount) map[string]reflect.Value {
	numbers := map[string]reflect.Value{}
	for field, value := range reflect.ValueOf(a).Elem().Fields() {
		switch {
		case value.CanInt():
			numbers[field.Name] = value
		case value.Kind() == reflect.Array:
			numbers[field.Name] = value.Index(0)
		}
	}
	return numbers
}
