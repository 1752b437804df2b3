import type { ListedPrompt, ListedVersion } from '#schemas/api/prompts.ts'
import { Tag } from '#ui/parts/status/status-badge.tsx'
import { Actor } from '#ui/parts/value/actor.tsx'
import { Time } from '#ui/parts/value/time.tsx'
import { labelsAt } from '../shared/shown-prompt.ts'
import { promptsText as text } from '../shared/text.ts'
import styles from './prompt.module.css'

interface PromptVersionListProps {
  readonly versions: readonly ListedVersion[]
  readonly labels: ListedPrompt['labels']
  readonly live: number
  readonly picked: readonly (number | undefined)[]
  readonly onPick: (version: number) => void
}

/** The versions, newest first, each with its labels. */
export function PromptVersionList({ versions, labels, live, picked, onPick }: PromptVersionListProps) {
  return (
    <ul className={styles['list']} aria-label={text.versions}>
      {versions.map(({ version, createdAt, createdBy, commitMessage }) => (
        <li key={version}>
          <button
            type="button"
            className={styles['version']}
            aria-pressed={picked.includes(version)}
            onClick={() => onPick(version)}
          >
            <span className={`row ${styles['names']}`}>
              <b className="num">{text.version(version)}</b>
              {version === live ? <Tag tone="ok">{text.live}</Tag> : undefined}
              {labelsAt(labels, version).map((label) => (
                <Tag key={label} tone="info">
                  {label}
                </Tag>
              ))}
              <span className="grow" />
              <Time at={createdAt} />
            </span>
            {commitMessage === undefined ? undefined : (
              <span className="user-text dim" dir="auto">
                {commitMessage}
              </span>
            )}
            <span className="dim">
              <Actor name={createdBy} />
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}
