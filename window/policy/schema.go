package policy

import "encoding/json"

// Schema is the JSON Schema (2020-12) of policies, for editors. It is made of
// what reads them; what it cannot say, Parse still checks.
func Schema() []byte {
	schema := closed(newDraft().members(), "version", "rules")
	schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	schema["title"] = "loopgauge policy"
	out, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		panic(err)
	}
	return append(out, '\n')
}

// allProfiles are the names of the profiles and of their rules. They are read when
// the schema is written, for their rules have fields, too.
type allProfiles struct{}

// MarshalJSON implements json.Marshaler.
func (allProfiles) MarshalJSON() ([]byte, error) {
	var names []string
	for _, p := range Profiles() {
		names = append(names, p.Name)
		for _, rule := range p.rules {
			names = append(names, p.Name+"/"+rule.name)
		}
	}
	return json.Marshal(names)
}
