import { useState } from 'react'
import { ApiProblem } from '#ui/api/api-problem.ts'
import { valueAt } from '#ui/kinds/kind-object.ts'
import type { KindObject } from '#ui/kinds/kind-object.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { Card } from '#ui/parts/page/card.tsx'
import { DockFacts } from '#ui/parts/page/split.tsx'
import { ConsentButton } from './consent-button.tsx'
import { GrantEnd, GrantScopes, GrantState } from './grant-facts.tsx'
import { serverPath } from './grant-paths.ts'
import styles from './grants.module.css'
import { RevokeDialog } from './revoke-dialog.tsx'
import { grantsText } from './text.ts'
import { useGrants } from './use-grants.ts'

const { card: text, columns } = grantsText

/** The consent of the caller to a server of the kind oauth; absent for the others. */
export function GrantCard({ object }: { readonly object: KindObject }) {
  if (valueAt(object.spec, 'auth.kind') !== 'oauth') return undefined
  return <ConsentOfCaller namespace={object.metadata.namespace ?? ''} server={object.metadata.name} />
}

interface ConsentOfCallerProps {
  readonly namespace: string
  readonly server: string
}

function ConsentOfCaller({ namespace, server }: ConsentOfCallerProps) {
  const { data, error } = useGrants()
  const [isRevoking, setRevoking] = useState(false)
  const wanted = { namespace, server, returnTo: serverPath(namespace, server) }
  const grant = data?.items.find((one) => one.namespace === namespace && one.server === server)
  if (data === undefined)
    return (
      <Card title={text.title}>
        <p className="faint" dir="auto">
          {error === null ? text.loading : isDisabled(error) ? text.disabled : error.message}
        </p>
      </Card>
    )
  if (grant === undefined)
    return (
      <Card title={text.title}>
        <div className={styles['card']}>
          <p className="dim">{text.none}</p>
          <ConsentButton wanted={wanted}>{text.grant}</ConsentButton>
        </div>
      </Card>
    )
  return (
    <Card title={text.title} action={<GrantState grant={grant} />}>
      <div className={styles['card']}>
        <p className="dim">{grant.usable ? text.granted : text.unusable}</p>
        <DockFacts
          facts={[
            [columns.scopes, <GrantScopes key="scopes" grant={grant} />],
            [columns.expires, <GrantEnd key="end" grant={grant} />],
          ]}
        />
        <div className={styles['buttons']}>
          <ConsentButton wanted={wanted}>{text.again}</ConsentButton>
          <Button icon="bin" onClick={() => setRevoking(true)}>
            {grantsText.revoke}
          </Button>
        </div>
      </div>
      {isRevoking ? <RevokeDialog grant={grant} onClose={() => setRevoking(false)} /> : undefined}
    </Card>
  )
}

function isDisabled(error: Error): boolean {
  return error instanceof ApiProblem && error.facts.status === 501
}
