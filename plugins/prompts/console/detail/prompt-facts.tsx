import type { ListedPrompt } from '#schemas/api/prompts.ts'
import { FactLine } from '#ui/parts/run/fact-line.tsx'
import { Tag } from '#ui/parts/status/status-badge.tsx'
import { Actor } from '#ui/parts/value/actor.tsx'
import { Time } from '#ui/parts/value/time.tsx'
import { liveVersion } from '../shared/shown-prompt.ts'
import { promptsText as text } from '../shared/text.ts'

/** What is known of a prompt at a glance: the live version first. */
export function PromptFacts({ prompt }: { readonly prompt: ListedPrompt }) {
  const { version, labels, type, updatedBy, updatedAt } = prompt
  const labelled = Object.entries(labels)
  return (
    <FactLine
      facts={[
        [text.facts.live, <b key="live">{text.version(liveVersion(prompt, version))}</b>],
        [text.facts.latest, text.version(version)],
        [
          text.columns.labels,
          labelled.length === 0 ? undefined : (
            <span key="labels" className="row">
              {labelled.map(([label, to]) => (
                <Tag key={label} tone="info">
                  {text.labelled(label, to)}
                </Tag>
              ))}
            </span>
          ),
        ],
        [text.facts.type, text.types[type]],
        [text.facts.by, <Actor key="by" name={updatedBy} />],
        [text.facts.changed, <Time key="at" at={updatedAt} />],
      ]}
    />
  )
}
