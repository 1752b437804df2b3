import { useEffect } from 'react'
import type { ReactNode } from 'react'

/** The heading of a page, which is the title of the document, too. */
export function PageBar({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  useEffect(() => {
    document.title = `${title}, mesh`
  }, [title])
  return (
    <div className="bar">
      <h1>{title}</h1>
      {children}
    </div>
  )
}
