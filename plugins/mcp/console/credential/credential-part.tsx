import type { Ref } from 'react'
import type { McpCredential } from '#schemas/api/mcp.ts'
import { ChoiceField, SecretField, TextField } from '#ui/parts/form/text-field.tsx'
import { takesValue } from './credential-body.ts'
import type { CredentialFields } from './credential-body.ts'
import { credentialText as text } from './text.ts'

const kinds = (['none', 'bearer', 'header', 'oauth'] as const).map((value) => ({ value, label: text.kinds[value] }))

interface CredentialPartProps {
  readonly fields: CredentialFields
  readonly refused: Readonly<Partial<Record<keyof CredentialFields | 'value', string>>>
  /** Whether the value was not given. */
  readonly isMissing: boolean
  readonly input: Ref<HTMLInputElement>
  readonly onChange: (changed: Partial<CredentialFields>) => void
}

/** How the platform authenticates at a server: the kind, and its value, which is written and never read. */
export function CredentialPart({ fields, refused, isMissing, input, onChange }: CredentialPartProps) {
  const { kind, header, clientId } = fields
  const isGranted = kind === 'oauth'
  return (
    <>
      <ChoiceField<McpCredential['kind']>
        label={text.kind}
        value={kind}
        options={kinds}
        refused={refused.kind}
        onChange={(picked) => onChange({ kind: picked })}
      />
      {kind === 'header' ? (
        <TextField
          label={text.header}
          value={header}
          maxLength={64}
          placeholder={text.headerExample}
          isRequired
          refused={refused.header}
          onChange={(typed) => onChange({ header: typed })}
        />
      ) : undefined}
      {isGranted ? (
        <TextField
          label={text.clientId}
          hint={text.clientIdHint}
          value={clientId}
          maxLength={2_048}
          refused={refused.clientId}
          onChange={(typed) => onChange({ clientId: typed })}
        />
      ) : undefined}
      {takesValue(fields) ? (
        <SecretField
          label={isGranted ? text.secret : text.value}
          hint={isGranted ? text.secretHint : text.valueHint}
          input={input}
          refused={isMissing ? text.valueRequired : refused.value}
        />
      ) : undefined}
    </>
  )
}
