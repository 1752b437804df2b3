import { useRef, useState } from 'react'
import type { Provider } from '#schemas/api/providers.ts'
import { DialogForm, FieldPair } from '#ui/parts/form/dialog-form.tsx'
import { CheckField, ChoiceField, SecretField, TextField } from '#ui/parts/form/text-field.tsx'
import { showToast } from '#ui/parts/overlay/toast-store.ts'
import { StepList } from '#ui/parts/status/step-list.tsx'
import { defaultAddresses, faultOfKey, toConnectBody } from './connect-body.ts'
import type { ConnectFields, ProviderType } from './connect-body.ts'
import { refusalsOf } from './refusals.ts'
import { providersText } from './text.ts'
import { useConnect } from './use-connect.ts'
import { useProvidersAgain } from './use-providers.ts'

const text = providersText.dialog
const types = (['openai', 'anthropic', 'mock'] as const).map((value) => ({ value, label: text.typeLabels[value] }))

interface ConnectDialogProps {
  readonly namespace: string | undefined
  readonly onClose: () => void
  readonly onConnected: (made: Provider) => void
}

/** Connects a provider: its key is pasted once, tried, and stored. */
export function ConnectDialog({ namespace = 'default', onClose, onConnected }: ConnectDialogProps) {
  const [fields, setFields] = useState<ConnectFields>({ ...blank, namespace })
  const [isTried, setTried] = useState(true)
  const [fault, setFault] = useState<'required' | 'wrong'>()
  const key = useRef<HTMLInputElement>(null)
  const readAgain = useProvidersAgain()
  const { steps, error, isBusy, connect } = useConnect((made) => {
    showToast({ kind: 'done', message: text.connected(made.name) })
    readAgain()
    onConnected(made)
  })
  const { fields: refused, rest } = refusalsOf(error)
  const set = (name: keyof ConnectFields) => (value: string) => setFields({ ...fields, [name]: value })
  const submit = (): void => {
    const apiKey = key.current?.value ?? ''
    const found = faultOfKey(apiKey, fields)
    setFault(found)
    if (found === undefined) connect(toConnectBody(fields, apiKey), isTried).catch(() => undefined)
  }
  const faults = { required: text.keyRequired, wrong: text.keyWrong }
  return (
    <DialogForm
      title={text.title}
      hint={text.hint}
      action={text.action}
      isBusy={isBusy}
      error={rest}
      onSubmit={submit}
      onClose={onClose}
    >
      <ChoiceField<ProviderType>
        label={text.type}
        value={fields.type}
        options={types}
        refused={refused.type}
        onChange={(type) => setFields({ ...fields, type, name: isOwnName(fields) ? type : fields.name })}
      />
      <FieldPair>
        <TextField
          label={text.name}
          value={fields.name}
          maxLength={63}
          isRequired
          refused={refused.name}
          onChange={set('name')}
        />
        <TextField
          label={text.namespace}
          value={fields.namespace}
          maxLength={63}
          isRequired
          refused={refused.namespace}
          onChange={set('namespace')}
        />
      </FieldPair>
      {fields.type === 'mock' ? undefined : (
        <>
          <TextField
            label={text.baseUrl}
            hint={text.baseUrlHint}
            value={fields.baseUrl}
            maxLength={2048}
            placeholder={defaultAddresses[fields.type]}
            refused={refused.baseUrl}
            onChange={set('baseUrl')}
          />
          <SecretField
            label={text.key}
            hint={text.keyHint}
            input={key}
            refused={fault === undefined ? refused.apiKey : faults[fault]}
          />
        </>
      )}
      {fields.type === 'openai' ? (
        <details>
          <summary>{text.more}</summary>
          <FieldPair>
            <TextField
              label={text.organization}
              hint={text.organizationHint}
              value={fields.organization}
              maxLength={128}
              refused={refused.organization}
              onChange={set('organization')}
            />
            <TextField
              label={text.azure}
              hint={text.azureHint}
              value={fields.apiVersion}
              maxLength={32}
              placeholder={text.azureExample}
              refused={refused.apiVersion}
              onChange={set('apiVersion')}
            />
          </FieldPair>
        </details>
      ) : undefined}
      <CheckField label={text.isTried} isOn={isTried} onChange={setTried} />
      {steps === undefined ? undefined : (
        <StepList
          label={text.steps.label}
          steps={(['try', 'store'] as const).map((step) => ({ name: text.steps[step], state: steps[step] }))}
        />
      )}
    </DialogForm>
  )
}

const blank = { name: 'openai', type: 'openai', baseUrl: '', organization: '', apiVersion: '' } as const

// The name follows the type until a person has chosen one.
function isOwnName({ name, type }: ConnectFields): boolean {
  return name === '' || name === type
}
