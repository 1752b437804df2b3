import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from '#ui/parts/control/button.tsx'
import { ButtonLink } from '#ui/parts/control/button-link.tsx'
import { ConnectForm } from '#ui/parts/form/connect-form.tsx'
import { TextField } from '#ui/parts/form/text-field.tsx'
import { Dialog } from '#ui/parts/overlay/dialog.tsx'
import { Notice } from '#ui/parts/page/notice.tsx'
import { StepList } from '#ui/parts/status/step-list.tsx'
import { isValueMissing } from '../credential/credential-body.ts'
import { CredentialPart } from '../credential/credential-part.tsx'
import { serverPath } from '../grants/grant-paths.ts'
import { refusedServer, toServerBody } from './connect-fields.ts'
import type { ServerFields, ServerPart } from './connect-fields.ts'
import styles from './servers.module.css'
import { serversText } from './text.ts'
import { useConnectServer } from './use-connect-server.ts'
import type { ShownConnection } from './use-connect-server.ts'

const text = serversText.dialog

interface ConnectServerProps {
  readonly first: ServerFields
  readonly onClose: () => void
}

/** Connects a server: the handshake step by step, then what it offers. */
export function ConnectServer({ first, onClose }: ConnectServerProps) {
  const [fields, setFields] = useState(first)
  const [isMissing, setMissing] = useState(false)
  const value = useRef<HTMLInputElement>(null)
  const queries = useQueryClient()
  const { steps, isBusy, error, made, connect } = useConnectServer(() => {
    queries.invalidateQueries({ queryKey: ['mcpservers'] }).catch(() => undefined)
  })
  const { fields: refused, rest } = refusedServer(error)
  const change = (changed: Partial<ServerFields>): void => setFields({ ...fields, ...changed })
  const submit = (): void => {
    const given = value.current?.value ?? ''
    const isRefused = isValueMissing(fields.kind, given)
    setMissing(isRefused)
    if (!isRefused) connect(toServerBody(fields, given)).catch(() => undefined)
  }
  if (made !== undefined)
    return (
      <Made made={made} onClose={onClose}>
        {steps === undefined ? undefined : <StepList label={text.steps.label} steps={steps} />}
      </Made>
    )
  return (
    <ConnectForm
      words={text}
      place={fields}
      refused={refused}
      steps={steps}
      isBusy={isBusy}
      error={rest}
      lead={<AddressPart fields={fields} refused={refused} onChange={change} />}
      onPlace={change}
      onSubmit={submit}
      onClose={onClose}
    >
      <CredentialPart fields={fields} refused={refused} isMissing={isMissing} input={value} onChange={change} />
    </ConnectForm>
  )
}

interface AddressPartProps {
  readonly fields: ServerFields
  readonly refused: Readonly<Partial<Record<ServerPart, string>>>
  readonly onChange: (changed: Partial<ServerFields>) => void
}

// The address of a connector is that of its entry.
function AddressPart({ fields: { url, connector }, refused, onChange }: AddressPartProps) {
  if (connector !== undefined)
    return (
      <p className="user-text" dir="auto">
        <b>{connector.title}</b> <span className="dim">{refused.url ?? connector.url}</span>
      </p>
    )
  return (
    <TextField
      label={text.url}
      hint={text.urlHint}
      value={url}
      maxLength={2048}
      placeholder={text.urlExample}
      isRequired
      refused={refused.url}
      onChange={(typed) => onChange({ url: typed })}
    />
  )
}

interface MadeProps {
  readonly made: ShownConnection
  readonly onClose: () => void
  readonly children: ReactNode
}

function Made({ made: { metadata, manifest }, onClose, children }: MadeProps) {
  const { namespace = 'default', name } = metadata
  return (
    <Dialog title={text.title} onClose={onClose}>
      <div className={styles['made']}>
        {children}
        <div role="status">
          <Notice tone="ok">
            {manifest === undefined ? text.waiting(name) : text.connected(name, manifest.tools.length)}
          </Notice>
        </div>
        <div className={styles['buttons']}>
          <Button onClick={onClose}>{text.close}</Button>
          <ButtonLink kind="primary" to={serverPath(namespace, name)}>
            {text.open}
          </ButtonLink>
        </div>
      </div>
    </Dialog>
  )
}
