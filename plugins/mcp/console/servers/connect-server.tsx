import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { ReactNode } from 'react'
import type { McpCredential } from '#schemas/api/mcp.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { ButtonLink } from '#ui/parts/control/button-link.tsx'
import { DialogForm, FieldPair } from '#ui/parts/form/dialog-form.tsx'
import { ChoiceField, SecretField, TextField } from '#ui/parts/form/text-field.tsx'
import { Dialog } from '#ui/parts/overlay/dialog.tsx'
import { Notice } from '#ui/parts/page/notice.tsx'
import { StepList } from '#ui/parts/status/step-list.tsx'
import { refusedServer, toServerBody } from './connect-fields.ts'
import type { ServerFields } from './connect-fields.ts'
import styles from './servers.module.css'
import { serversText } from './text.ts'
import { useConnectServer } from './use-connect-server.ts'
import type { ShownConnection } from './use-connect-server.ts'

const text = serversText.dialog
const kinds = (['none', 'bearer', 'header', 'oauth'] as const).map((value) => ({ value, label: text.kinds[value] }))

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
  const set = (name: keyof ServerFields) => (typed: string) => setFields({ ...fields, [name]: typed })
  const needsValue = fields.kind === 'bearer' || fields.kind === 'header'
  const submit = (): void => {
    const given = value.current?.value ?? ''
    setMissing(needsValue && given === '')
    if (!needsValue || given !== '') connect(toServerBody(fields, given)).catch(() => undefined)
  }
  const shownSteps = steps === undefined ? undefined : <StepList label={text.steps.label} steps={steps} />
  if (made !== undefined)
    return (
      <Made made={made} onClose={onClose}>
        {shownSteps}
      </Made>
    )
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
      <TextField
        label={text.url}
        hint={text.urlHint}
        value={fields.url}
        maxLength={2048}
        placeholder={text.urlExample}
        isRequired
        refused={refused.url}
        onChange={set('url')}
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
      <ChoiceField<McpCredential['kind']>
        label={text.kind}
        value={fields.kind}
        options={kinds}
        refused={refused.kind}
        onChange={(kind) => setFields({ ...fields, kind })}
      />
      {fields.kind === 'header' ? (
        <TextField
          label={text.header}
          value={fields.header}
          maxLength={64}
          placeholder={text.headerExample}
          isRequired
          refused={refused.header}
          onChange={set('header')}
        />
      ) : undefined}
      {needsValue ? (
        <SecretField
          label={text.value}
          hint={text.valueHint}
          input={value}
          refused={isMissing ? text.valueRequired : refused.value}
        />
      ) : undefined}
      {shownSteps}
    </DialogForm>
  )
}

interface MadeProps {
  readonly made: ShownConnection
  readonly onClose: () => void
  readonly children: ReactNode
}

function Made({ made: { metadata, manifest }, onClose, children }: MadeProps) {
  const { namespace = 'default', name } = metadata
  const path = [namespace, name].map(encodeURIComponent).join('/')
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
          <ButtonLink kind="primary" to={`/mcpservers/${path}`}>
            {text.open}
          </ButtonLink>
        </div>
      </div>
    </Dialog>
  )
}
