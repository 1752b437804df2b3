import type { ListedVersion } from '#schemas/api/prompts.ts'
import { JsonView } from '#ui/parts/content/json-view.tsx'
import { Card, Report } from '#ui/parts/page/card.tsx'
import { IdCopy } from '#ui/parts/value/id-copy.tsx'
import { variablesIn } from '../shared/shown-prompt.ts'
import { promptsText as text } from '../shared/text.ts'
import styles from './prompt.module.css'

/** What one version says, with its variables and parameters. */
export function PromptVersionText({ version }: { readonly version: ListedVersion }) {
  const { messages = [], config, contentHash } = version
  const variables = variablesIn(version)
  return (
    <Report>
      <Card title={text.version(version.version)} action={<IdCopy id={contentHash.slice('sha256:'.length)} />}>
        {version.text === undefined ? undefined : <Said content={version.text} />}
        {messages.map(({ role, content }, index) => (
          <div key={index} className={styles['message']}>
            <span className="faint">{text.roles[role]}</span>
            <Said content={content} />
          </div>
        ))}
      </Card>
      <Card title={text.variables}>
        {variables.length === 0 ? <p className="faint">{text.noVariables}</p> : undefined}
        <ul className={styles['variables']}>
          {variables.map(({ name, fallback }) => (
            <li key={name}>
              <code className="mono">{`{{${name}}}`}</code>{' '}
              <span className="dim" dir="auto">
                {fallback === undefined ? text.needed : text.hasDefault(fallback)}
              </span>
            </li>
          ))}
        </ul>
      </Card>
      {config === undefined ? undefined : (
        <Card title={text.parameters}>
          <JsonView label={text.parameters} value={config} />
        </Card>
      )}
    </Report>
  )
}

function Said({ content }: { readonly content: string }) {
  // It may scroll, so that the keyboard must reach it.
  return (
    <pre className={`mono user-text ${styles['said']}`} dir="auto" tabIndex={0}>
      {content}
    </pre>
  )
}
