import type { ReactNode } from 'react'
import { PageBar } from '../../parts/page/page-bar.tsx'
import { RefusedState } from '../../parts/state/refused-state.tsx'
import { refusalOf } from '../navigation/navigation.ts'
import type { CapabilitiesResponse } from '../navigation/navigation.ts'
import { pageOfPath } from '../navigation/page-of-path.ts'
import { NotFound } from './not-found.tsx'

const SIGN_IN_PATH = '/sign-in'

interface AllowedPageProps {
  readonly path: string
  readonly response: CapabilitiesResponse
  readonly children: ReactNode
}

/** The page, or why the caller cannot use it. The code of such a page is not loaded. */
export function AllowedPage({ path, response, children }: AllowedPageProps) {
  const page = pageOfPath(path, response.pages)
  const refusal = page === undefined ? undefined : refusalOf(page, response.capabilities)
  // A hidden plugin leaves no page. Below /x/ are pages of third parties, which say so themselves.
  if (page === undefined && path !== SIGN_IN_PATH && !path.startsWith('/x/')) return <NotFound />
  if (page === undefined || refusal === undefined) return children
  return (
    <>
      <PageBar title={page.title} />
      <RefusedState refusal={refusal} />
    </>
  )
}
