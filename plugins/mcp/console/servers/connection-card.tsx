import { useState } from 'react'
import { useCapability } from '#ui/api/capabilities.ts'
import { toCell, valueAt } from '#ui/kinds/kind-object.ts'
import type { KindObject } from '#ui/kinds/kind-object.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { Card } from '#ui/parts/page/card.tsx'
import { CredentialDialog } from '../credential/credential-dialog.tsx'
import { credentialText } from '../credential/text.ts'
import { PublishServerDialog } from '../publish/publish-server-dialog.tsx'
import { publishText } from '../publish/text.ts'
import styles from './servers.module.css'
import { serversText } from './text.ts'

const text = serversText.connection
const kinds = credentialText.kinds

/** Where a server is and how it is called, with what can be done about both. */
export function ConnectionCard({ object: { metadata, spec } }: { readonly object: KindObject }) {
  const [opened, setOpened] = useState<'credential' | 'publish'>()
  const mayRegister = useCapability('mcp.register')
  const mayPublish = useCapability('mcp.publish')
  const { namespace = '', name } = metadata
  const kind = kindOf(spec)
  const header = textAt(spec, 'auth.header')
  const clientId = textAt(spec, 'auth.clientId')
  const description = valueAt(spec, 'description')
  const close = (): void => setOpened(undefined)
  return (
    <Card title={text.title}>
      <div className={styles['made']}>
        <dl className={styles['references']}>
          <dt>{serversText.columns.address}</dt>
          <dd dir="auto">{toCell(valueAt(spec, 'url'))}</dd>
          <dt>{credentialText.kind}</dt>
          <dd>{kinds[kind]}</dd>
        </dl>
        <div className={styles['buttons']}>
          {mayPublish ? <Button onClick={() => setOpened('publish')}>{publishText.open}</Button> : undefined}
          {mayRegister ? (
            <Button icon="key" onClick={() => setOpened('credential')}>
              {credentialText.dialog.open}
            </Button>
          ) : undefined}
        </div>
      </div>
      {opened === 'credential' ? (
        <CredentialDialog namespace={namespace} server={name} first={{ kind, header, clientId }} onClose={close} />
      ) : undefined}
      {opened === 'publish' ? (
        <PublishServerDialog
          {...{ namespace, name }}
          description={typeof description === 'string' ? description : ''}
          onClose={close}
        />
      ) : undefined}
    </Card>
  )
}

// As the platform reads it: a Secret without a kind is a bearer token.
function kindOf(spec: KindObject['spec']): keyof typeof kinds {
  const kind = valueAt(spec, 'auth.kind')
  if (kind === 'none' || kind === 'bearer' || kind === 'header' || kind === 'oauth') return kind
  return valueAt(spec, 'secretRef') === undefined ? 'none' : 'bearer'
}

function textAt(spec: KindObject['spec'], path: string): string {
  const value = valueAt(spec, path)
  return typeof value === 'string' ? value : ''
}
