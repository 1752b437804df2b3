import { useState } from 'react'
import { exampleSchema, exampleYaml } from '../document/example-document.states.ts'
import type { PartStates } from '../part-states.ts'
import { SchemaForm } from './schema-form.tsx'

function Filled({ at, fixed = [] }: { readonly at: string; readonly fixed?: readonly string[] }) {
  const [value, setValue] = useState(at)
  return <SchemaForm label="Tenant" value={value} onChange={setValue} schema={exampleSchema} fixed={fixed} />
}

const filled = (at: string) => () => <Filled at={at} />

/** States of the parts of this folder. */
export const formStates: readonly PartStates[] = [
  {
    part: 'SchemaForm',
    states: [
      { name: 'in step', show: filled(exampleYaml) },
      { name: 'out of step: the YAML does not parse', show: filled('spec:\n  a: [1\n') },
      { name: 'an alias', show: filled('metadata:\n  name: a\nspec: &all\n  displayName: a\n  parent: *all\n') },
      { name: 'no mapping', show: filled('- a\n- b\n') },
      { name: 'empty', show: filled('') },
      { name: 'a name that stays', show: () => <Filled at={exampleYaml} fixed={['/metadata/name']} /> },
      {
        name: 'refused by the server',
        show: () => (
          <SchemaForm
            label="Refused"
            value={exampleYaml}
            onChange={() => undefined}
            schema={exampleSchema}
            refused={[
              { pointer: '/spec/displayName', detail: 'is taken' },
              { pointer: '', detail: 'the tenant has too many agents' },
            ]}
          />
        ),
      },
    ],
  },
]
