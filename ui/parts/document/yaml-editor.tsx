import { Suspense, lazy } from 'react'
import type { YamlEditorProps } from './document-props.ts'
import styles from './document.module.css'

const Body = lazy(async () => ({ default: (await import('./yaml-editor-body.tsx')).YamlEditorBody }))

/** A YAML document with what is wrong with it, by its lines. Its code is loaded when it is first shown. */
export function YamlEditor(props: YamlEditorProps) {
  return (
    <Suspense fallback={<CodeSkeleton text={props.value} rows={props.rows ?? 16} />}>
      <Body {...props} />
    </Suspense>
  )
}

/** The place of a document while the editor is loaded: of its height, with the text that will be there. */
export function CodeSkeleton({ text, rows }: { readonly text: string; readonly rows: number }) {
  return (
    <pre className={styles['skeleton']} style={{ height: rows * 19 + 18 }} aria-busy="true" dir="auto">
      {text.slice(0, 4000)}
    </pre>
  )
}
