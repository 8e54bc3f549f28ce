package parquet

import (
	"reflect"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
)

// words is the dictionary of a column of texts, which is written by the places
// that the texts have in it: rows repeat what others say, so that most texts
// need not be looked up again. The file is as the library makes it from texts.
type words struct {
	parquet.Dictionary
	last  []byte // the text looked up last, and its place
	place [1]int32
	value [1]parquet.Value
}

// wordsAt is the place of a text, which is new or not.
func wordsAt[T string | []byte](w *words, text T) int32 {
	if w.value[0].IsNull() || string(w.last) != string(text) {
		w.last = append(w.last[:0], text...)
		w.value[0] = parquet.ByteArrayValue(w.last)
		w.Insert(w.place[:], w.value[:])
	}
	return w.place[0]
}

// Reset begins the dictionary of the next row group.
func (w *words) Reset() {
	w.Dictionary.Reset()
	w.value[0] = parquet.Value{}
}

// Type is that of the columns that the dictionary is for.
func (w *words) Type() parquet.Type { return placeType{w.Dictionary.Type(), w} }

// wordType is a type of texts whose dictionary is words.
type wordType struct {
	parquet.Type
	words *words // of the writer
}

func (t *wordType) NewDictionary(column, n int, data encoding.Values) parquet.Dictionary {
	t.words = &words{Dictionary: t.Type.NewDictionary(column, n, data)}
	return t.words
}

// placeType makes columns of places.
type placeType struct {
	parquet.Type
	words *words
}

func (t placeType) NewColumnBuffer(column, n int) parquet.ColumnBuffer {
	return &places{ColumnBuffer: t.Type.NewColumnBuffer(column, 0), words: t.words, all: make([]int32, 0, n)}
}

// places are the values of a column, each the place of its text. What it does
// not have of its own is not asked of a column that is only written.
type places struct {
	parquet.ColumnBuffer
	words *words
	all   []int32
	seen  []bool // scratch of its pages, by place
}

func (p *places) WriteValues(values []parquet.Value) (int, error) {
	for i := range values {
		p.all = append(p.all, values[i].Int32())
	}
	return len(values), nil
}

func (p *places) Len() int         { return len(p.all) }
func (p *places) NumValues() int64 { return int64(len(p.all)) }
func (p *places) Size() int64      { return 4 * int64(len(p.all)) }
func (p *places) Reset()           { p.all = p.all[:0] }

func (p *places) Page() parquet.Page {
	return &placesPage{Page: p.words.Dictionary.Type().NewPage(p.Column(), len(p.all), encoding.Int32Values(p.all)), of: p}
}

// placesPage knows its smallest and its largest text: the writer asks twice,
// and the library compares the text of every row each time.
type placesPage struct {
	parquet.Page
	of       *places
	known    bool
	min, max parquet.Value
}

func (p *placesPage) Bounds() (smallest, largest parquet.Value, ok bool) {
	if !p.known {
		p.known = true
		seen := append(p.of.seen[:0], make([]bool, p.of.words.Len())...)
		p.of.seen = seen
		var distinct []int32
		for _, place := range p.of.all {
			if !seen[place] {
				seen[place] = true
				distinct = append(distinct, place)
			}
		}
		if len(distinct) > 0 {
			p.min, p.max = p.of.words.Bounds(distinct)
		}
	}
	return p.min, p.max, len(p.of.all) > 0
}

// wordNode is a node of a schema whose texts with a dictionary are words.
type wordNode struct {
	parquet.Field
	fields []parquet.Field
	kind   parquet.Type // nil for that of the field
}

func (n *wordNode) Fields() []parquet.Field { return n.fields }

func (n *wordNode) Type() parquet.Type {
	if n.kind != nil {
		return n.kind
	}
	return n.Field.Type()
}

// wordSchema is the schema of R for a writer of its own. types are those of
// its columns, nil for columns that are no words.
func wordSchema[R any]() (schema *parquet.Schema, types []*wordType) {
	var zero R
	from := parquet.SchemaOf(zero)
	var fields func(parquet.Node) []parquet.Field
	fields = func(node parquet.Node) (list []parquet.Field) {
		for _, f := range node.Fields() {
			n := &wordNode{Field: f}
			switch {
			case !f.Leaf():
				n.fields = fields(f)
			case f.Encoding() == &parquet.RLEDictionary && f.Type().Kind() == parquet.ByteArray:
				t := &wordType{Type: f.Type()}
				n.kind, types = t, append(types, t)
			default:
				types = append(types, nil)
			}
			list = append(list, n)
		}
		return list
	}
	root := &wordNode{Field: rootField{from}, fields: fields(from)}
	return parquet.NewSchema(from.Name(), root), types
}

// rootField is a schema as a field.
type rootField struct{ *parquet.Schema }

func (rootField) Value(base reflect.Value) reflect.Value { return base }
