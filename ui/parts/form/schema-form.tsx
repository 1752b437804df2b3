import { Suspense, lazy } from 'react'
import { CodeSkeleton } from '../document/yaml-editor.tsx'
import type { SchemaFormProps } from './form-edit.ts'

const Body = lazy(async () => ({ default: (await import('./schema-form-body.tsx')).SchemaFormBody }))

/** A document as a form by its schema. A change patches one path of the YAML: comments and unknown fields stay. Its code is loaded when it is first shown. */
export function SchemaForm(props: SchemaFormProps) {
  return (
    <Suspense fallback={<CodeSkeleton text="" rows={12} />}>
      <Body {...props} />
    </Suspense>
  )
}
