import { useQuery } from '@tanstack/react-query'
import { Link, useRouterState } from '@tanstack/react-router'
import { lazy } from 'react'
import type { Static } from 'typebox'
import type { NavigationPage } from '../../../schemas/api/identity.ts'
import { capabilitiesQuery } from '../../api/capabilities.ts'
import { Report, Card } from '../../parts/page/card.tsx'
import { PageBar } from '../../parts/page/page-bar.tsx'
import { PageState } from '../../parts/state/page-state.tsx'
import { kindText as text } from '../../text/kinds.ts'
import { kindsOfPlugin } from '../served-kind.ts'
import { useApiDocument } from '../use-kind.ts'
import { DeclaredView } from './declared-view.tsx'
import { kindEntryOf } from './third-party-kind.ts'

const KindDetail = lazy(async () => ({ default: (await import('../kind-detail.tsx')).KindDetail }))
const KindList = lazy(async () => ({ default: (await import('../kind-list.tsx')).KindList }))
const KindNew = lazy(async () => ({ default: (await import('../kind-new.tsx')).KindNew }))

type Page = Static<typeof NavigationPage>

/** An address below `/x/{plugin}`: a declared page of the plugin, or a kind that it serves. No code of the plugin is loaded. */
export function ThirdPartyPage() {
  const path = useRouterState({ select: ({ location: { pathname } }) => pathname })
  const { data } = useQuery(capabilitiesQuery)
  const [, , plugin = '', plural = '', ...names] = path.split('/').map(decodeSegment)
  const { data: document } = useApiDocument()
  if (data === undefined) return undefined
  const own = data.pages.filter(
    (page) => page.tabOf === undefined && (page.path === `/x/${plugin}` || page.path.startsWith(`/x/${plugin}/`)),
  )
  const kinds = document === undefined ? undefined : kindsOfPlugin(document, plugin)
  const declared = own
    .filter((page) => path === page.path || path.startsWith(`${page.path}/`))
    .toSorted((a, b) => b.path.length - a.path.length)[0]
  const api = kinds?.find((one) => one.at(-1) === plural)
  // A page that the plugin declares for the address of a kind is the one that it wants.
  if (api !== undefined && declared?.path !== `/x/${plugin}/${plural}`)
    return <KindPages key={path} plugin={plugin} api={api} names={names} />
  if (declared?.entry !== undefined)
    return (
      <>
        <DeclaredView key={declared.id} page={declared} rest={restOf(path, declared)} />
        {path === `/x/${plugin}` ? <KindLinks plugin={plugin} kinds={kinds ?? []} /> : undefined}
      </>
    )
  if (document === undefined) return undefined
  return (
    <>
      <PageBar title={plugin} />
      {kinds?.length === 0 ? (
        <PageState icon="search" title={text.declared.missing} />
      ) : (
        <KindLinks plugin={plugin} kinds={kinds ?? []} />
      )}
    </>
  )
}

function KindPages({
  plugin,
  api,
  names,
}: {
  readonly plugin: string
  readonly api: readonly string[]
  readonly names: readonly string[]
}) {
  const { data: document } = useApiDocument()
  const entry = kindEntryOf(document ?? {}, { plugin, api })
  const [first, second] = names
  if (first === undefined) return <KindList entry={entry} />
  if (second === undefined && first === (entry.isClusterWide === true ? '-new' : 'new'))
    return <KindNew entry={entry} />
  if (entry.isClusterWide === true) return <KindDetail entry={entry} namespace={undefined} name={first} />
  if (second === undefined) return <PageState icon="search" title={text.declared.missing} />
  return <KindDetail key={`${first}/${second}`} entry={entry} namespace={first} name={second} />
}

function KindLinks({ plugin, kinds }: { readonly plugin: string; readonly kinds: readonly (readonly string[])[] }) {
  if (kinds.length === 0) return undefined
  return (
    <Report>
      <Card title={text.declared.kinds}>
        <ul>
          {kinds.map((api) => (
            <li key={api.join('/')}>
              <Link to={`/x/${plugin}/${api.at(-1) ?? ''}`} className="link" dir="auto">
                {api.at(-1)}
              </Link>
            </li>
          ))}
        </ul>
      </Card>
    </Report>
  )
}

function restOf(path: string, page: Page): readonly string[] {
  return path.slice(page.path.length).split('/').filter(Boolean).map(decodeSegment)
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
