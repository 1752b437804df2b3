import type { Static } from 'typebox'
import type { NavigationPage } from '../../../schemas/api/identity.ts'
import { useAddress } from '../../contract/search.ts'
import { PageBar } from '../../parts/page/page-bar.tsx'
import { DeclaredSource } from './declared-content.tsx'

interface DeclaredViewProps {
  readonly page: Static<typeof NavigationPage>
  /** Segments of the address below the page: namespace and name. */
  readonly rest: readonly string[]
}

/** A page that a third party declares. */
export function DeclaredView({ page, rest }: DeclaredViewProps) {
  const [{ namespace }] = useAddress()
  return (
    <>
      <PageBar title={page.title} />
      <DeclaredSource page={page} names={{ ns: rest.length > 1 ? rest[0] : namespace, name: rest.at(-1) }} />
    </>
  )
}
