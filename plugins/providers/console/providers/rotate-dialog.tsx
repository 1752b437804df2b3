import { useRef, useState } from 'react'
import type { Provider } from '#schemas/api/providers.ts'
import { sendApi } from '#ui/api/request-api.ts'
import { DialogForm } from '#ui/parts/form/dialog-form.tsx'
import { CheckField, SecretField } from '#ui/parts/form/text-field.tsx'
import { showToast } from '#ui/parts/overlay/toast-store.ts'
import { faultOfKey } from './connect-body.ts'
import { refusalsOf } from './refusals.ts'
import { providersText } from './text.ts'
import { useProvidersAgain } from './use-providers.ts'

const text = providersText.rotation
const { dialog } = providersText

interface RotateDialogProps {
  readonly provider: Provider
  readonly onClose: () => void
}

/** Replaces the key of a provider. The key stands in its field only: a mutation would keep it. */
export function RotateDialog({ provider: { namespace, name, type }, onClose }: RotateDialogProps) {
  const [isTried, setTried] = useState(true)
  const [isBusy, setBusy] = useState(false)
  const [isWrong, setWrong] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const key = useRef<HTMLInputElement>(null)
  const readAgain = useProvidersAgain()
  const rotate = async (apiKey: string): Promise<void> => {
    setBusy(true)
    setError(null)
    try {
      const body = { apiKey, validate: isTried }
      await sendApi({ method: 'POST', path: ['providers', name, 'rotate'], query: { namespace }, body })
      showToast({ kind: 'done', message: text.done(name) })
      readAgain()
      onClose()
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(String(failure)))
      setBusy(false)
    }
  }
  const submit = (): void => {
    const apiKey = key.current?.value ?? ''
    const fault = faultOfKey(apiKey, { type, baseUrl: '' })
    setWrong(fault === 'wrong')
    if (fault === undefined) rotate(apiKey).catch(() => undefined)
  }
  const { fields, rest } = refusalsOf(error)
  return (
    <DialogForm
      title={text.title(name)}
      hint={text.hint}
      action={text.action}
      isBusy={isBusy}
      error={fields.baseUrl === undefined ? rest : new Error(fields.baseUrl)}
      onSubmit={submit}
      onClose={onClose}
    >
      <SecretField label={dialog.key} input={key} isRequired refused={isWrong ? dialog.keyWrong : fields.apiKey} />
      <CheckField label={dialog.isTried} isOn={isTried} onChange={setTried} />
    </DialogForm>
  )
}
