import { useRef, useState } from 'react'
import { exampleSchema, exampleYaml } from '../document/example-document.states.ts'
import { Button } from '../control/button.tsx'
import type { PartStates } from '../part-states.ts'
import { ConnectForm } from './connect-form.tsx'
import { DialogForm, FieldPair } from './dialog-form.tsx'
import { SchemaForm } from './schema-form.tsx'
import { CheckField, ChoiceField, SecretField, TextField } from './text-field.tsx'

function Filled({ at, fixed = [] }: { readonly at: string; readonly fixed?: readonly string[] }) {
  const [value, setValue] = useState(at)
  return <SchemaForm label="Tenant" value={value} onChange={setValue} schema={exampleSchema} fixed={fixed} />
}

function Typed({ refused, isLong = false }: { readonly refused?: string; readonly isLong?: boolean }) {
  const [value, setValue] = useState('')
  return (
    <TextField
      label={isLong ? 'Description' : 'Name'}
      hint="As in a host name"
      placeholder="openai"
      maxLength={63}
      {...{ value, refused, isLong, onChange: setValue }}
    />
  )
}

function Pasted({ refused }: { readonly refused?: string }) {
  return <SecretField label="Key" hint="It is shown nowhere" input={useRef(null)} refused={refused} />
}

function Chosen() {
  const [value, setValue] = useState<'a' | 'b'>('a')
  const options = (['a', 'b'] as const).map((one) => ({ value: one, label: one }))
  return <ChoiceField label="Type" value={value} options={options} onChange={setValue} />
}

function Checked() {
  const [isOn, setOn] = useState(true)
  return <CheckField label="Try the key first" isOn={isOn} onChange={setOn} />
}

function OpenedForm() {
  const [isOpen, setOpen] = useState(false)
  const close = (): void => setOpen(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>Open the form</Button>
      {isOpen ? (
        <DialogForm
          title="Connect"
          hint="A key is pasted once."
          action="Connect"
          isBusy={false}
          error={new Error('The server cannot be reached.')}
          onSubmit={close}
          onClose={close}
        >
          <Typed />
        </DialogForm>
      ) : undefined}
    </>
  )
}

function OpenedConnection() {
  const [isOpen, setOpen] = useState(false)
  const [place, setPlace] = useState({ name: 'openai', namespace: 'demo' })
  const close = (): void => setOpen(false)
  const labels = { name: 'Name', namespace: 'Namespace', steps: { label: 'What happens' } }
  return (
    <>
      <Button onClick={() => setOpen(true)}>Open the connection</Button>
      {isOpen ? (
        <ConnectForm
          words={{ title: 'Connect', hint: 'A key is pasted once.', action: 'Connect', ...labels }}
          place={place}
          refused={{ name: 'is taken' }}
          steps={[
            { name: 'Ask', state: 'done' },
            { name: 'Store', state: 'failed' },
          ]}
          isBusy={false}
          error={null}
          lead={<Chosen />}
          onPlace={(changed) => setPlace({ ...place, ...changed })}
          onSubmit={close}
          onClose={close}
        >
          <Pasted />
        </ConnectForm>
      ) : undefined}
    </>
  )
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
      { name: 'an object of any fields', show: filled('spec:\n  extra:\n    values: [1, 2]\n') },
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
  { part: 'ConnectForm', states: [{ name: 'a step failed', show: () => <OpenedConnection /> }] },
  { part: 'DialogForm', states: [{ name: 'refused', show: () => <OpenedForm /> }] },
  {
    part: 'FieldPair',
    states: [
      {
        name: 'one of them refused',
        show: () => (
          <FieldPair>
            <Typed refused="is taken" />
            <Chosen />
          </FieldPair>
        ),
      },
    ],
  },
  {
    part: 'TextField',
    states: [
      { name: 'one line', show: () => <Typed /> },
      { name: 'long', show: () => <Typed isLong /> },
      { name: 'refused', show: () => <Typed refused={'x'.repeat(200)} /> },
    ],
  },
  {
    part: 'SecretField',
    states: [
      { name: 'empty', show: () => <Pasted /> },
      { name: 'refused', show: () => <Pasted refused="The provider does not accept this key." /> },
    ],
  },
  { part: 'ChoiceField', states: [{ name: 'two', show: () => <Chosen /> }] },
  { part: 'CheckField', states: [{ name: 'on', show: () => <Checked /> }] },
]
