import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { apiQuery } from '../api/queries.ts'
import { pluginPages } from '../page-list.ts'
import { ProblemPanel } from '../parts/problem-panel.tsx'
import { reasonOf, sectionsOf } from './navigation.ts'
import { PersonMenu } from './person-menu.tsx'
import type { CapabilitiesResponse, NavigationSection, PageReason } from './navigation.ts'

/** Navigation and page. The server decides which pages there are. */
export function Shell() {
  const path = useRouterState({ select: ({ location: { pathname } }) => pathname })
  const { data, error, refetch } = useQuery({ ...apiQuery<CapabilitiesResponse>(['capabilities']), staleTime: 60_000 })
  const retry = (): void => {
    refetch().catch(() => undefined)
  }
  return (
    <div className="shell">
      <nav aria-label="Pages">
        <strong>mesh</strong>
        {data === undefined ? undefined : <Sections sections={sectionsOf(data, pluginPages)} />}
        <PersonMenu />
      </nav>
      <main>
        {error === null ? undefined : <ProblemPanel error={error} onRetry={retry} />}
        {data === undefined ? undefined : <AllowedPage path={path} response={data} />}
      </main>
    </div>
  )
}

function Sections({ sections }: { readonly sections: readonly NavigationSection[] }) {
  return sections.map(({ title, pages }) => (
    <section key={title}>
      <h2>{title}</h2>
      <ul>
        {pages.map(({ page, reason }) => (
          <li key={page.id}>
            <Link to={page.path} className={reason === undefined ? '' : 'dim'}>
              {page.title}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  ))
}

const reasons: Readonly<Record<PageReason, string>> = {
  denied: 'You may not see this page.',
  disabled: 'This part of the installation is off.',
  unconfigured: 'This part of the installation is not configured.',
}

interface AllowedPageProps {
  readonly path: string
  readonly response: CapabilitiesResponse
}

// The code of a page that the caller cannot use is not loaded.
function AllowedPage({ path, response }: AllowedPageProps) {
  const page = response.pages.find((one) => path === one.path || path.startsWith(`${one.path}/`))
  if (page === undefined) return <Outlet />
  const reason = reasonOf(page, response.capabilities)
  if (reason === undefined) return <Outlet />
  return (
    <section className="panel">
      <h1>{page.title}</h1>
      <p>{reasons[reason]}</p>
    </section>
  )
}
