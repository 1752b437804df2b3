import { createContext, useContext } from 'react'
import type { RefusedField } from '../../api/api-problem.ts'
import type { ValueSchema } from '../yaml/schema-shape.ts'
import type { ValuePath, YamlSource } from '../yaml/yaml-source.ts'

/** What a form of a document needs. The text is its caller's, as of `YamlEditor`: both show one document. */
export interface SchemaFormProps {
  /** Its name, for screen readers. */
  readonly label: string
  /** The document, as YAML. */
  readonly value: string
  readonly schema: ValueSchema
  /** Absent: the form can be read only. */
  readonly onChange?: ((value: string) => void) | undefined
  /** `errors[]` of the problem with which the server refused the document. */
  readonly refused?: readonly RefusedField[] | undefined
  /** JSON Pointers of fields that are not of the form, such as `/status`. */
  readonly hidden?: readonly string[]
  /** JSON Pointers of fields that cannot be changed, such as `/metadata/name` of an object that exists. */
  readonly fixed?: readonly string[]
}

/** What the fields of a form share. */
export interface FormEdit {
  readonly source: YamlSource
  readonly isReadOnly: boolean
  /** JSON Pointers that are not shown. */
  readonly hidden: readonly string[]
  /** JSON Pointers that are shown and cannot be changed. */
  readonly fixed: readonly string[]
  /** What is wrong with a field, by its JSON Pointer. */
  readonly problems: ReadonlyMap<string, string>
  /** Undefined removes the field. */
  set(path: ValuePath, value: unknown): void
}

/** The form around a field. */
export const FormContext = createContext<FormEdit | undefined>(undefined)

/** See {@link FormEdit}. */
export function useFormEdit(): FormEdit {
  const edit = useContext(FormContext)
  if (edit === undefined) throw new Error('a field stands in a form')
  return edit
}

/** A name of a field in words: `requestsPerMinute` is "Requests per minute". */
export function fieldTitle(name: string): string {
  const words = name.replaceAll(/([a-z\d])([A-Z])/g, (_, end: string, next: string) => `${end} ${next.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}
