import { FactLine } from '#ui/parts/run/fact-line.tsx'
import { Tag } from '#ui/parts/status/status-badge.tsx'
import { Actor } from '#ui/parts/value/actor.tsx'
import { IdCopy } from '#ui/parts/value/id-copy.tsx'
import { Count } from '#ui/parts/value/numbers.tsx'
import { Time } from '#ui/parts/value/time.tsx'
import type { ShownDataset } from '../shared/shown-dataset.ts'
import { datasetsText } from '../shared/text.ts'
import styles from './dataset.module.css'

const { facts: text, pin: pinText } = datasetsText

/** What is known of a dataset at a glance. */
export function DatasetFacts({ dataset }: { readonly dataset: ShownDataset }) {
  const { cases, labels, latestPin, allowedNamespaces, createdBy, updatedAt, description } = dataset
  return (
    <>
      <FactLine
        facts={[
          [text.cases, <Count key="cases" value={cases} />],
          [text.labels, <Count key="labels" value={labels} />],
          [
            text.pin,
            latestPin === null ? (
              datasetsText.none
            ) : (
              <span key="pin" className="row">
                <Tag>{pinText(latestPin.version)}</Tag>
                <IdCopy id={latestPin.digest.replace('sha256:', '')} />
              </span>
            ),
          ],
          [text.shared, allowedNamespaces === null ? text.onlyOwn : allowedNamespaces.join(', ')],
          [text.by, <Actor key="by" name={createdBy} />],
          [text.changed, <Time key="at" at={updatedAt} />],
        ]}
      />
      {description === '' ? undefined : (
        <p className={`user-text dim ${styles['about']}`} dir="auto">
          {description}
        </p>
      )}
    </>
  )
}
