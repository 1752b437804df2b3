import type { ReactNode } from 'react'
import { StepList } from '../status/step-list.tsx'
import type { ShownStep } from '../status/step-state.ts'
import { DialogForm, FieldPair } from './dialog-form.tsx'
import { TextField } from './text-field.tsx'

/** Where a new object is: its name in a namespace. */
interface NewPlace {
  readonly name: string
  readonly namespace: string
}

interface ConnectFormProps {
  readonly words: {
    readonly title: string
    readonly hint: string
    readonly action: string
    readonly name: string
    readonly namespace: string
    readonly steps: { readonly label: string }
  }
  readonly place: NewPlace
  readonly refused: Readonly<Partial<Record<keyof NewPlace, string>>>
  /** What happens, one by one; undefined before the first attempt. */
  readonly steps: readonly ShownStep[] | undefined
  readonly isBusy: boolean
  readonly error: Error | null
  /** Stands before the name. */
  readonly lead: ReactNode
  readonly onPlace: (changed: Partial<NewPlace>) => void
  readonly onSubmit: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A dialog that connects something outside: what it is, its name here, how it is called, and each step of the attempt. */
export function ConnectForm(props: ConnectFormProps) {
  const { words, place, refused, steps, isBusy, error, lead, onPlace, onSubmit, onClose, children } = props
  const field = (name: keyof NewPlace) => (
    <TextField
      label={words[name]}
      value={place[name]}
      maxLength={63}
      isRequired
      refused={refused[name]}
      onChange={(typed) => onPlace({ [name]: typed })}
    />
  )
  const { title, hint, action } = words
  return (
    <DialogForm {...{ title, hint, action, isBusy, error, onSubmit, onClose }}>
      {lead}
      <FieldPair>
        {field('name')}
        {field('namespace')}
      </FieldPair>
      {children}
      {steps === undefined ? undefined : <StepList label={words.steps.label} steps={steps} />}
    </DialogForm>
  )
}
