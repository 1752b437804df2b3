import type { ReactNode } from 'react'
import type { RefusedField } from '../../api/api-problem.ts'
import type { ValueSchema } from '../yaml/schema-shape.ts'

/** What an editor of YAML needs. The text is its caller's. */
export interface YamlEditorProps {
  /** Its name, for screen readers. */
  readonly label: string
  readonly value: string
  /** Absent: the text can be read and copied only. */
  readonly onChange?: ((value: string) => void) | undefined
  /** `Ctrl Enter`. */
  readonly onSave?: (() => void) | undefined
  readonly schema?: ValueSchema | undefined
  /** `errors[]` of the problem with which the server refused the document. */
  readonly refused?: readonly RefusedField[] | undefined
  /** In lines; 16 without it. */
  readonly rows?: number
}

/** What a comparison of two documents needs. */
export interface DiffProps {
  /** What is compared, such as `r12 → r14`; the counts stand beside it. */
  readonly title: string
  readonly before: string
  readonly after: string
  /** Names of both sides: they stand above them. */
  readonly labels: readonly [string, string]
  readonly action?: ReactNode
}
