import { parseInline } from './inline-words.ts'
import type { InlinePart } from './inline-words.ts'
import { parseMessage } from './message-blocks.ts'
import type { MessageBlock } from './message-blocks.ts'
import styles from './message-view.module.css'

/** The blocks of a message as elements. Their direction is that of their own text. */
export function MessageBody({ words, isStreaming }: { readonly words: string; readonly isStreaming: boolean }) {
  const blocks = parseMessage(words)
  return (
    <div className={`${styles['body']} ${isStreaming ? styles['caret'] : ''}`}>
      {blocks.map((block, index) => (
        <Block key={index} block={block} />
      ))}
    </div>
  )
}

function Block({ block }: { readonly block: MessageBlock }) {
  if (block.kind === 'code')
    return (
      <pre className={`mono ${styles['code']}`} tabIndex={0} aria-label={block.language}>
        {block.words}
      </pre>
    )
  if (block.kind === 'table') return <TableBlock head={block.head} rows={block.rows} />
  if (block.kind === 'list') {
    const items = block.items.map((item, index) => (
      <li key={index} dir="auto">
        <Inline words={item} />
      </li>
    ))
    return block.isOrdered ? <ol>{items}</ol> : <ul>{items}</ul>
  }
  return (
    <p dir="auto" className={`user-text ${styles['words']} ${block.kind === 'heading' ? styles['heading'] : ''}`}>
      <Inline words={block.words} />
    </p>
  )
}

interface TableBlockProps {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

function TableBlock({ head, rows }: TableBlockProps) {
  return (
    <div className={styles['table']} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((cell, index) => (
              <th key={index} dir="auto">
                <Inline words={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, line) => (
            <tr key={line}>
              {row.map((cell, index) => (
                <td key={index} dir="auto">
                  <Inline words={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Inline({ words }: { readonly words: string }) {
  return parseInline(words).map((part, index) => <Part key={index} part={part} />)
}

function Part({ part }: { readonly part: InlinePart }) {
  const { words } = part
  switch (part.kind) {
    case 'bold':
      return <b>{words}</b>
    case 'italic':
      return <i>{words}</i>
    case 'code':
      return <code className={`mono ${styles['inline']}`}>{words}</code>
    case 'words':
      return words
    case 'link':
      // The host is said, since a model may write words that promise another one.
      return (
        <a className="link" href={part.to} target="_blank" rel="noreferrer noopener">
          {words}
          {words.includes(part.host) ? '' : ` (${part.host})`}
        </a>
      )
  }
}
