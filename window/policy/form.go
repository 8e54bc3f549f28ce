package policy

import "maps"

// form is what a value of a policy may be: how it is read, and its JSON Schema.
type form struct {
	read   func(Value)
	schema object
}

// object is one of JSON.
type object = map[string]any

// entry is a member of a mapping, and what it is, for editors.
type entry struct {
	name string
	form
	doc string
}

// closed is a mapping that has these members and no others.
func closed(members []entry, required ...string) object {
	properties := object{}
	for _, e := range members {
		properties[e.name] = described(e.schema, e.doc)
	}
	o := object{"type": "object", "additionalProperties": false, "properties": properties}
	if len(required) > 0 {
		o["required"] = required
	}
	return o
}

// described is a schema with what it is of; more may follow there.
func described(schema object, doc string) object {
	if doc == "" {
		return schema
	}
	schema = maps.Clone(schema)
	more, _ := schema["description"].(string)
	schema["description"] = doc + more
	return schema
}

func array(items object) object { return object{"type": "array", "items": items} }

// listOf is a list of mappings that have these members.
func listOf[T any](to *[]T, read func(Value) T, members []entry, required ...string) form {
	return form{func(v Value) {
		*to = nil
		v.List(func(v Value) { *to = append(*to, read(v)) })
	}, array(closed(members, required...))}
}
