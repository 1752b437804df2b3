import { useMemo, useRef } from 'react'
import type { RefusedField } from '../../api/api-problem.ts'
import { documentText as text } from '../../text/documents.ts'
import { patchYaml } from '../yaml/patch-source.ts'
import { checkValue } from '../yaml/schema-problems.ts'
import { resolveSchema, toNode } from '../yaml/schema-shape.ts'
import type { ValueSchema } from '../yaml/schema-shape.ts'
import { MAX_CHECKED_CHARS, readYaml, toPath, toPointer } from '../yaml/yaml-source.ts'
import type { ValuePath, YamlSource } from '../yaml/yaml-source.ts'
import { Notice } from '../page/notice.tsx'
import styles from './form.module.css'
import { FormContext } from './form-edit.ts'
import type { FormEdit, SchemaFormProps } from './form-edit.ts'
import { ObjectFields } from './form-field.tsx'
import { onlyInYaml } from './only-in-yaml.ts'

const none: readonly never[] = []

/** See `SchemaForm`. */
export function SchemaFormBody(props: SchemaFormProps) {
  const { label, value, schema, onChange, refused = none, hidden = none, fixed = none } = props
  const isTooLarge = value.length > MAX_CHECKED_CHARS
  const source = useMemo(() => readYaml(isTooLarge ? '' : value), [value, isTooLarge])
  const shown = useLastGood(source)
  const resolved = useMemo(() => resolveSchema(schema), [schema])
  const problems = useMemo(() => problemsByPointer(shown, resolved, refused), [shown, resolved, refused])
  const [broken] = source.problems
  const whyNot = whyReadOnly(source, isTooLarge)
  const edit: FormEdit = {
    source: shown,
    isReadOnly: whyNot !== undefined || onChange === undefined,
    hidden,
    fixed,
    problems,
    set: (path, next) => onChange?.(patchYaml(source, path, next)),
  }
  return (
    <FormContext value={edit}>
      <div className={styles['form']} role="form" aria-label={label}>
        {whyNot === undefined ? undefined : (
          <Notice tone={isTooLarge ? 'info' : 'warn'} title={whyNot}>
            {broken?.message ?? ''}
          </Notice>
        )}
        <ElsewhereProblems problems={problems} source={shown} />
        {isTooLarge ? undefined : <ObjectFields path={[]} schema={resolved} value={shown.value} />}
        <OnlyInYaml paths={isTooLarge ? [] : onlyInYaml(shown, resolved, hidden)} />
      </div>
    </FormContext>
  )
}

function whyReadOnly({ problems, value }: YamlSource, isTooLarge: boolean): string | undefined {
  if (isTooLarge) return text.form.tooLarge
  if (problems[0] !== undefined) return text.form.readOnly(problems[0].line)
  return value === undefined || value === null || toNode(value) !== undefined ? undefined : text.form.readOnlyWhole
}

/** While the text does not parse, the form shows what it showed. */
function useLastGood(source: YamlSource): YamlSource {
  const last = useRef(source)
  if (source.problems.length === 0) last.current = source
  return last.current
}

function problemsByPointer(
  source: YamlSource,
  schema: ValueSchema,
  refused: readonly RefusedField[],
): ReadonlyMap<string, string> {
  const found = source.value === undefined || source.value === null ? [] : checkValue(schema, source.value)
  return new Map([
    ...found.map(({ path, detail }) => [toPointer(path), detail] as const),
    ...refused.map(({ pointer, detail }) => [pointer, detail] as const),
  ])
}

// What was refused of the whole, or of a field that the document does not have.
function ElsewhereProblems({
  problems,
  source,
}: {
  readonly problems: FormEdit['problems']
  readonly source: YamlSource
}) {
  const elsewhere = [...problems].filter(([pointer]) => {
    const path = toPath(source, pointer)
    return path.length === 0 || !source.document.hasIn(path.slice(0, -1))
  })
  if (elsewhere.length === 0) return undefined
  return (
    <Notice tone="bad" title={text.form.elsewhere}>
      <ul className={styles['paths']}>
        {elsewhere.map(([pointer, detail]) => (
          <li key={pointer}>{text.problem.at(pointer, detail)}</li>
        ))}
      </ul>
    </Notice>
  )
}

function OnlyInYaml({ paths }: { readonly paths: readonly ValuePath[] }) {
  if (paths.length === 0) return undefined
  return (
    <Notice tone="mute" title={text.form.onlyInYaml}>
      {text.form.onlyInYamlDetail}
      <ul className={styles['paths']}>
        {paths.map((path) => (
          <li key={toPointer(path)} className="mono user-text" dir="auto">
            {path.join('.')}
          </li>
        ))}
      </ul>
    </Notice>
  )
}
