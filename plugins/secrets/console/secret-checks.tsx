import { useQuery } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { Whoami } from '#schemas/api/identity.ts'
import { apiQuery } from '#ui/api/queries.ts'
import type { KindParts } from '#ui/kinds/kind-entry.ts'
import { Card } from '#ui/parts/page/card.tsx'
import { StatusBadge } from '#ui/parts/status/status-badge.tsx'
import { rightOnSecret, secretOf } from './right-on-secret.ts'
import type { SecretRight } from './right-on-secret.ts'
import { secretsText } from './text.ts'

const text = secretsText.checks
const looks: Readonly<Record<SecretRight | 'asking', string>> = {
  met: 'ok',
  denied: 'denied',
  unknown: 'unknown',
  asking: 'running',
}

/** What binding a Secret needs: who may not read it may not give it to agents. Asked as the caller while the document is typed. */
function SecretChecks({ document }: { readonly document: unknown }) {
  const secret = secretOf(document)
  const { namespace = '', name = '' } = secret ?? {}
  const { data, error } = useQuery({
    ...apiQuery<Static<typeof Whoami>>(['whoami'], { permissions: namespace }),
    enabled: secret !== undefined && /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/.test(namespace),
    staleTime: 30_000,
    retry: false,
  })
  const found = data?.permissions && rightOnSecret(data.permissions, name)
  const state = found ?? (error === null ? 'asking' : 'unknown')
  return (
    <Card title={text.title}>
      {secret === undefined ? (
        <p className="faint">{text.none}</p>
      ) : (
        <div className="row" role="status">
          <StatusBadge state={looks[state]} isPlain>
            {text.states[state]}
          </StatusBadge>
          <span className="user-text" dir="auto">
            {text.right(namespace, name)} {state === 'met' ? '' : text.fix[state]}
          </span>
        </div>
      )}
    </Card>
  )
}

/** What the pages of secret bindings have besides those of every kind. */
export const secretBindingParts: KindParts = { Checks: SecretChecks }
