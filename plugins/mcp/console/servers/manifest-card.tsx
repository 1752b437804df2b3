import { useState } from 'react'
import type { KindObject } from '#ui/kinds/kind-object.ts'
import { Card } from '#ui/parts/page/card.tsx'
import { IdCopy } from '#ui/parts/value/id-copy.tsx'
import type { ShownTool } from '../shared/shown-tool.ts'
import { toolText } from '../shared/text.ts'
import { ToolFacts, HintTags } from '../shared/tool-facts.tsx'
import { toServerState } from '../shared/server-state.ts'
import styles from './servers.module.css'
import { serversText } from './text.ts'

const text = serversText.manifest

/** The accepted tools of a server; each opens to what the server says of it. */
export function ManifestCard({ object }: { readonly object: KindObject }) {
  const { tools, digest, protocolVersion } = toServerState(object)
  return (
    <Card
      title={text.title}
      action={
        <span className={`row ${styles['facts']}`}>
          <span className="faint">{toolText.count(tools.length)}</span>
          {protocolVersion === undefined ? undefined : <span className="faint">{text.protocol(protocolVersion)}</span>}
          {digest === undefined ? undefined : <IdCopy id={digest.replace('sha256:', '')} />}
        </span>
      }
    >
      {tools.length === 0 ? <p className="faint">{text.none}</p> : undefined}
      <ul className={styles['tools']}>
        {tools.map((tool) => (
          <ToolRow key={tool.name} tool={tool} />
        ))}
      </ul>
    </Card>
  )
}

// Its schemas are drawn when it is opened: a manifest may have 256 tools.
function ToolRow({ tool }: { readonly tool: ShownTool }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <li>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <b className="mono user-text" dir="auto">
            {tool.name}
          </b>
          <span className="dim clip grow" dir="auto">
            {tool.title ?? tool.description}
          </span>
          <HintTags tool={tool} />
        </summary>
        {isOpen ? <ToolFacts tool={tool} /> : undefined}
      </details>
    </li>
  )
}
