import { useQuery } from '@tanstack/react-query'
import type { ListedPrompt, ListedVersion } from '#schemas/api/prompts.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { useAddress } from '#ui/contract/search.ts'
import { Diff } from '#ui/parts/document/diff.tsx'
import { CodeSkeleton } from '#ui/parts/document/yaml-editor.tsx'
import { PageState } from '#ui/parts/state/page-state.tsx'
import { ProblemState } from '#ui/parts/state/problem-state.tsx'
import { comparedOf, liveVersion, plainText, promptPath } from '../shared/shown-prompt.ts'
import type { PromptPlace } from '../shared/shown-prompt.ts'
import { promptsText as text } from '../shared/text.ts'
import styles from './prompt.module.css'
import { PromptVersionList } from './version-list.tsx'
import { PromptVersionText } from './version-text.tsx'

interface VersionsTabProps {
  readonly place: PromptPlace
  /** The latest version. */
  readonly prompt: ListedPrompt
  readonly isCompared: boolean
}

interface VersionPage {
  readonly items: readonly ListedVersion[]
}

/** The versions, and the text of one or what differs between two. */
export function PromptVersionsTab({ place, prompt, isCompared }: VersionsTabProps) {
  const [{ v, from, to }, change] = useAddress()
  const query = apiQuery<VersionPage>([...promptPath(place), 'versions'], { limit: 200 })
  const { data, error, refetch } = useQuery(query)
  if (data === undefined) {
    const retry = (): void => {
      refetch().catch(() => undefined)
    }
    return error === null ? <CodeSkeleton text="" rows={12} /> : <ProblemState error={error} onRetry={retry} />
  }
  const live = liveVersion(prompt, prompt.version)
  const shown = data.items.find(({ version }) => String(version) === v) ?? at(data.items, live) ?? data.items[0]
  const compared = comparedOf(data.items, live, { from, to })
  const pick = (version: number): void =>
    isCompared ? change({ from: String(version) }) : change({ v: version === live ? undefined : String(version) })
  const picked = isCompared ? [compared?.from, compared?.to] : [shown?.version]
  return (
    <div className={styles['versions']}>
      <PromptVersionList versions={data.items} labels={prompt.labels} live={live} picked={picked} onPick={pick} />
      <div className={styles['panel']}>
        {isCompared ? (
          <Comparison
            before={compared && at(data.items, compared.from)}
            after={compared && at(data.items, compared.to)}
          />
        ) : undefined}
        {isCompared || shown === undefined ? undefined : <PromptVersionText version={shown} />}
      </div>
    </div>
  )
}

interface ComparisonProps {
  readonly before: ListedVersion | undefined
  readonly after: ListedVersion | undefined
}

function Comparison({ before, after }: ComparisonProps) {
  if (before === undefined || after === undefined)
    return (
      <PageState icon="stack" title={text.one}>
        {text.oneDetail}
      </PageState>
    )
  const [left, right] = [before, after].map(({ version }) => text.version(version)) as [string, string]
  return <Diff title={text.compare(left, right)} before={whole(before)} after={whole(after)} labels={[left, right]} />
}

// What a version says, and below it what else belongs to its content.
function whole(version: ListedVersion): string {
  const { variables, config, tags } = version
  const others = Object.entries({ variables, config, tags }).filter(([, value]) => value !== undefined)
  const lines = others.map(([name, value]) => `${name}: ${JSON.stringify(value, null, 2)}`)
  return [plainText(version), ...lines, ''].join('\n\n').trimEnd()
}

function at(versions: readonly ListedVersion[], wanted: number): ListedVersion | undefined {
  return versions.find(({ version }) => version === wanted)
}
