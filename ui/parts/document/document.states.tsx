import { useState } from 'react'
import { Button } from '../control/button.tsx'
import type { PartStates } from '../part-states.ts'
import { Diff } from './diff.tsx'
import { changedYaml, exampleSchema, exampleYaml } from './example-document.states.ts'
import { CodeSkeleton, YamlEditor } from './yaml-editor.tsx'

const labels = ['r12', 'r14'] as const
const large = Array.from({ length: 3000 }, (_, index) => `field${index}: ${index}\n`).join('')

function Edited({
  at,
  refused = [],
}: {
  readonly at: string
  readonly refused?: readonly { pointer: string; detail: string }[]
}) {
  const [value, setValue] = useState(at)
  return (
    <YamlEditor
      label="Edited document"
      value={value}
      onChange={setValue}
      onSave={() => setValue(at)}
      schema={exampleSchema}
      refused={refused}
      rows={14}
    />
  )
}

/** States of the parts of this folder. */
export const documentStates: readonly PartStates[] = [
  {
    part: 'YamlEditor',
    states: [
      { name: 'problems by the schema', show: () => <Edited at={exampleYaml} /> },
      { name: 'does not parse', show: () => <Edited at={'spec:\n  a: 1\n  a: 2\n\tb: 3\n'} /> },
      {
        name: 'refused by the server',
        show: () => <Edited at={exampleYaml} refused={[{ pointer: '/spec/quota/window', detail: 'is too long' }]} />,
      },
      { name: 'read only', show: () => <YamlEditor label="Shown document" value={exampleYaml} rows={8} /> },
      { name: 'empty', show: () => <YamlEditor label="Empty document" value="" onChange={() => undefined} rows={3} /> },
    ],
  },
  { part: 'CodeSkeleton', states: [{ name: 'loading', show: () => <CodeSkeleton text={exampleYaml} rows={6} /> }] },
  {
    part: 'Diff',
    states: [
      {
        name: 'equal',
        show: () => <Diff title="r12 → r12" before={exampleYaml} after={exampleYaml} labels={labels} />,
      },
      {
        name: 'changed',
        show: () => (
          <Diff
            title="r12 → r14"
            before={exampleYaml}
            after={changedYaml}
            labels={labels}
            action={<Button isSmall>{'Preview roll back to r12'}</Button>}
          />
        ),
      },
      {
        name: 'large',
        show: () => (
          <Diff title="large" before={large} after={large.replace('field1500: 1500', 'x: 1')} labels={labels} />
        ),
      },
    ],
  },
]
