import { useRef, useState } from 'react'
import type { Provider } from '#schemas/api/providers.ts'
import { ConnectForm } from '#ui/parts/form/connect-form.tsx'
import { FieldPair } from '#ui/parts/form/dialog-form.tsx'
import { CheckField, ChoiceField, SecretField, TextField } from '#ui/parts/form/text-field.tsx'
import { showToast } from '#ui/parts/overlay/toast-store.ts'
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
    <ConnectForm
      words={text}
      place={fields}
      refused={refused}
      steps={steps && (['try', 'store'] as const).map((step) => ({ name: text.steps[step], state: steps[step] }))}
      isBusy={isBusy}
      error={rest}
      lead={
        <ChoiceField<ProviderType>
          label={text.type}
          value={fields.type}
          options={types}
          refused={refused.type}
          onChange={(type) => setFields({ ...fields, type, name: isOwnName(fields) ? type : fields.name })}
        />
      }
      onPlace={(place) => setFields({ ...fields, ...place })}
      onSubmit={submit}
      onClose={onClose}
    >
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
    </ConnectForm>
  )
}

const blank = { name: 'openai', type: 'openai', baseUrl: '', organization: '', apiVersion: '' } as const

// The name follows the type until a person has chosen one.
function isOwnName({ name, type }: ConnectFields): boolean {
  return name === '' || name === type
}
