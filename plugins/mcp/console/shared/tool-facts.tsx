import { JsonView } from '#ui/parts/content/json-view.tsx'
import { Tag } from '#ui/parts/status/status-badge.tsx'
import { hintsOf, schemaValue } from './shown-tool.ts'
import type { ShownTool } from './shown-tool.ts'
import styles from './tool.module.css'
import { toolText as text } from './text.ts'

/** What a server says of the effect of a tool. */
export function HintTags({ tool }: { readonly tool: ShownTool }) {
  return (
    <span className={styles['hints']}>
      {hintsOf(tool).map(({ words, isWarning }) => (
        <Tag key={words} tone={isWarning ? 'warn' : 'mute'} {...(isWarning ? { icon: 'alert' } : {})}>
          {words}
        </Tag>
      ))}
    </span>
  )
}

/** What a tool does, with its schemas. All texts are those of the server. */
export function ToolFacts({ tool }: { readonly tool: ShownTool }) {
  const { name, description, inputSchema, outputSchema } = tool
  return (
    <div className={styles['facts']}>
      <p className="user-text" dir="auto">
        {description ?? <span className="faint">{text.noDescription}</span>}
      </p>
      <HintTags tool={tool} />
      <p className="faint">{text.hintsAre}</p>
      {(
        [
          [text.input, inputSchema],
          [text.output, outputSchema],
        ] as const
      ).map(([part, schema]) =>
        schema === undefined ? undefined : (
          <section key={part}>
            <h3>{part}</h3>
            <JsonView label={text.schema(name, part)} value={schemaValue(schema)} />
          </section>
        ),
      )}
    </div>
  )
}
