import { Link } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { RunTree } from '#schemas/api/run-events.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { MessageView } from '#ui/parts/content/message-view.tsx'
import { toShortId } from '#ui/parts/format/names.ts'
import { toRelative } from '#ui/parts/format/times.ts'
import { Icon } from '#ui/parts/icon/icon.tsx'
import { Tag } from '#ui/parts/status/status-badge.tsx'
import { toneClass } from '#ui/parts/status/tones.ts'
import { Actor } from '#ui/parts/value/actor.tsx'
import { Glyph } from '#ui/parts/value/agent-name.tsx'
import { useNow } from '#ui/parts/value/clock.ts'
import { Time } from '#ui/parts/value/time.tsx'
import { isSoon, msLeft } from '../items/approval-items.ts'
import type { ApprovalItem, PausedRun, WaitingInterrupt } from '../items/approval-items.ts'
import styles from './decision.module.css'
import { toPauseStory } from '../items/before-pause.ts'
import { Before } from './before.tsx'
import { DecisionForm } from './decision-form.tsx'
import { approvalsText as text } from '../items/text.ts'

interface DecisionProps {
  readonly item: ApprovalItem
  readonly onDecided: (run: PausedRun) => void
  /** The decision was refused, and this is the run as it is. */
  readonly onOvertaken: (run: PausedRun) => void
}

/** A decision: what is asked, why, what was before, and with whose rights it is done. */
export function DecisionSheet({ item, onDecided, onOvertaken }: DecisionProps) {
  const { run } = item
  const whole = useQuery(apiQuery<PausedRun>(['runs', run.id]))
  const tree = useQuery(apiQuery<Static<typeof RunTree>>(['runs', run.id, 'tree']))
  // Lists leave out the hints and the policy.
  const interrupt = whole.data?.interrupts.find(({ id }) => id === item.interrupt.id) ?? item.interrupt
  const story = tree.data === undefined ? undefined : toPauseStory(tree.data.root)
  const why = interrupt.question ?? story?.words ?? ''
  return (
    <section className={styles['decision']} aria-label={titleOf(interrupt)} tabIndex={-1}>
      <div className={styles['sheet']}>
        <Head run={run} interrupt={interrupt} />
        <Facts run={run} interrupt={interrupt} isRead={whole.data !== undefined} />
        <h3>{text.why}</h3>
        {why === '' ? (
          <p className="faint">{text.noWhy}</p>
        ) : (
          <blockquote className={styles['why']}>
            <MessageView role="assistant" words={why} />
          </blockquote>
        )}
        <DecisionForm item={{ ...item, interrupt }} onDecided={onDecided} onOvertaken={onOvertaken}>
          <Before story={story} hasFailed={tree.error !== null} run={run.id} />
          <p className={styles['rights']}>
            <Icon name="lock" size={13} />
            <span className="user-text" dir="auto">
              {text.rights(run.subject)}
            </span>
          </p>
        </DecisionForm>
      </div>
    </section>
  )
}

function Head({ run, interrupt }: { readonly run: PausedRun; readonly interrupt: WaitingInterrupt }) {
  const name = run.agent?.name ?? run.executor ?? run.id
  const { tool, hints } = interrupt
  return (
    <div className={styles['head']}>
      <Glyph name={name} size={30} />
      <div className="grow">
        <h2>
          {tool === undefined ? (
            titleOf(interrupt)
          ) : (
            <>
              {text.call}{' '}
              <span className="mono user-text" dir="auto">
                {tool}
              </span>
            </>
          )}
        </h2>
        <div className="dim user-text" dir="auto">
          {run.agent === null ? name : `${run.agent.namespace}/${name}`}, {text.for} <Actor name={run.subject} />
        </div>
      </div>
      {hints === undefined ? undefined : (
        <Tag tone={hints.readOnly ? 'mute' : hints.destructive ? 'bad' : 'warn'}>
          {hints.readOnly ? text.readOnly : hints.destructive ? text.destructive : text.writes}
        </Tag>
      )}
    </div>
  )
}

interface FactsProps {
  readonly run: PausedRun
  readonly interrupt: WaitingInterrupt
  /** Whether the whole run was read. Before that, a missing policy may still appear. */
  readonly isRead: boolean
}

function Facts({ run, interrupt, isRead }: FactsProps) {
  const { policy, askedAt } = interrupt
  const now = useNow()
  const left = msLeft(interrupt, now)
  const asker =
    policy === undefined ? (isRead ? text.noPolicy : '—') : [policy.name, policy.rule].filter(Boolean).join(', ')
  return (
    <dl className={styles['facts']}>
      <div>
        <dt>{text.policy}</dt>
        <dd className="user-text" dir="auto" {...(policy === undefined ? {} : { 'data-tip': policy.kind })}>
          {asker}
        </dd>
      </div>
      <div>
        <dt>{text.asked}</dt>
        <dd>
          <Time at={askedAt ?? run.createdAt} />
        </dd>
      </div>
      <div>
        <dt>{text.expires}</dt>
        <dd className={`num ${isSoon(interrupt, now) ? `${styles['urgent']} ${toneClass('bad')}` : ''}`}>
          {left === undefined ? '—' : left <= 0 ? text.expired : toRelative(interrupt.expiresAt, now)}
        </dd>
      </div>
      <div>
        <dt>{text.run}</dt>
        <dd>
          <Link to={`/runs/${encodeURIComponent(run.id)}`} className="link mono">
            {toShortId(run.id)}
          </Link>
        </dd>
      </div>
    </dl>
  )
}

function titleOf({ reason, tool }: WaitingInterrupt): string {
  return tool === undefined ? text.titles[reason] : `${text.call} ${tool}`
}
