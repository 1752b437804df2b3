import { Suspense, lazy } from 'react'
import type { DiffProps } from './document-props.ts'
import { CodeSkeleton } from './yaml-editor.tsx'

const Body = lazy(async () => ({ default: (await import('./diff-body.tsx')).DiffBody }))

/** Two YAML documents: what was removed red and left, what was added green and right. Its code is loaded when it is first shown. */
export function Diff(props: DiffProps) {
  return (
    <Suspense fallback={<CodeSkeleton text={props.after} rows={12} />}>
      <Body {...props} />
    </Suspense>
  )
}
