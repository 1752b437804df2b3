import { useState } from 'react'
import type { Provider } from '#schemas/api/providers.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { ButtonLink } from '#ui/parts/control/button-link.tsx'
import { Notice } from '#ui/parts/page/notice.tsx'
import { Dock, DockBody, DockFacts } from '#ui/parts/page/split.tsx'
import { Duration } from '#ui/parts/value/numbers.tsx'
import { Time } from '#ui/parts/value/time.tsx'
import { DisconnectDialog } from './disconnect-dialog.tsx'
import { ProviderModels } from './provider-models.tsx'
import { KeyAge, ProviderHealth, toErrorWords } from './provider-columns.tsx'
import styles from './providers.module.css'
import { RotateDialog } from './rotate-dialog.tsx'
import { RouteLinks } from './route-links.tsx'
import { providersText } from './text.ts'

const text = providersText.item

interface ProviderDockProps {
  /** `namespace/name` of the address. */
  readonly place: string
  /** Undefined while the list is loading, and for one that the list does not have. */
  readonly provider: Provider | undefined
  readonly isRead: boolean
  readonly onClose: () => void
}

/** A provider: its health, what calls it, and its models as it lists them now. */
export function ProviderDock({ place, provider, isRead, onClose }: ProviderDockProps) {
  if (provider === undefined)
    return (
      <Dock title={place} onClose={onClose}>
        <DockBody>
          {isRead ? (
            <Notice tone="warn" title={text.gone}>
              {text.goneDetail}
            </Notice>
          ) : undefined}
        </DockBody>
      </Dock>
    )
  const { name, ready, reason } = provider
  return (
    <Dock title={name} lead={<ProviderHealth provider={provider} />} onClose={onClose}>
      <DockFacts facts={factsOf(provider)} />
      <DockBody>
        {ready === false ? <Notice tone="warn">{text.notReady(reason ?? '')}</Notice> : undefined}
        <ProviderActs provider={provider} onGone={onClose} />
        <h3 className={styles['title']}>{text.routes}</h3>
        <Routes provider={provider} />
        <ProviderModels provider={provider} />
      </DockBody>
    </Dock>
  )
}

function factsOf(provider: Provider): Parameters<typeof DockFacts>[0]['facts'] {
  const { namespace, type, baseUrl, hasKey, keyVersion, health, createdAt } = provider
  return [
    [text.type, providersText.types[type]],
    [text.namespace, namespace],
    ...(baseUrl === '' ? [] : [[text.address, <span className="mono">{baseUrl}</span>] as const]),
    [
      text.key,
      <>
        {hasKey && keyVersion !== null ? `${providersText.keyOf(keyVersion)}, ` : ''}
        <KeyAge provider={provider} />
      </>,
    ],
    [text.p50, <Duration ms={health.p50Ms} />],
    [text.success, <Time at={health.lastSuccessAt} />],
    [
      text.error,
      <>
        {toErrorWords(health.lastErrorClass)} {health.lastErrorAt === null ? '' : <Time at={health.lastErrorAt} />}
      </>,
    ],
    [text.created, <Time at={createdAt} />],
  ]
}

function ProviderActs({ provider, onGone }: { readonly provider: Provider; readonly onGone: () => void }) {
  const [act, setAct] = useState<'rotate' | 'disconnect'>()
  const close = (): void => setAct(undefined)
  return (
    <div className={styles['acts']}>
      <Button
        isSmall
        icon="key"
        whyNot={provider.hasKey ? undefined : text.noRotation}
        onClick={() => setAct('rotate')}
      >
        {text.rotate}
      </Button>
      <Button isSmall kind="danger" onClick={() => setAct('disconnect')}>
        {text.disconnect}
      </Button>
      {act === 'rotate' ? <RotateDialog provider={provider} onClose={close} /> : undefined}
      {act === 'disconnect' ? <DisconnectDialog provider={provider} onClose={close} onGone={onGone} /> : undefined}
    </div>
  )
}

function Routes({ provider: { namespace, routes } }: { readonly provider: Provider }) {
  if (routes === null) return <p className="faint">{text.routesDenied}</p>
  if (routes.length > 0) return <RouteLinks routes={routes} />
  return (
    <p className="faint">
      {text.noRoutes}{' '}
      <ButtonLink isSmall kind="quiet" icon="plus" to={`/modelroutes/new?namespace=${namespace}`}>
        {text.newRoute}
      </ButtonLink>
    </p>
  )
}
