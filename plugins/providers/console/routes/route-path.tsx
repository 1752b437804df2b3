import { Link } from '@tanstack/react-router'
import type { KindObject } from '#ui/kinds/kind-object.ts'
import { Icon } from '#ui/parts/icon/icon.tsx'
import { CircuitTag, circuitWords } from './circuit-state.tsx'
import { curvesOf, toRoutePlan, shareInWords } from './route-plan.ts'
import type { DrawnTarget } from './route-plan.ts'
import styles from './routes.module.css'
import { routesText } from './text.ts'

const text = routesText.path
/** Height of a target with its gap, as in the style sheet. */
const ROW_PX = 84
const WIDTH_PX = 96

/** Where a call of a route goes: its targets by their shares, then the fallbacks in their order. */
export function RoutePath({ object }: { readonly object: KindObject }) {
  const { targets, fallbacks } = toRoutePlan(object)
  return (
    <>
      <p className="dim">{targets.length > 1 ? text.shared(targets.length) : text.single}</p>
      <div className={styles['path']}>
        <div className={styles['call']}>
          <span className="faint">{text.call}</span>
          <b className="user-text" dir="auto">
            {object.metadata.name}
          </b>
        </div>
        <Curves targets={targets} />
        <ul className={styles['targets']} aria-label={text.targets}>
          {targets.map((target, index) => (
            <TargetCard
              // Two targets may be the same provider and model.
              key={`${index} ${target.provider}`}
              target={target}
              lead={targets.length > 1 ? text.share(shareInWords(target.share)) : text.whole}
            />
          ))}
        </ul>
      </div>
      <h3 className={styles['title']}>{text.fallbacks}</h3>
      {fallbacks.length === 0 ? <p className="faint">{text.none}</p> : undefined}
      <ol className={styles['fallbacks']}>
        {fallbacks.map((target, index) => (
          <TargetCard key={`${index} ${target.provider}`} target={target} lead={text.order(index + 1)} isAfter />
        ))}
      </ol>
    </>
  )
}

// The list beside it says the same in words.
function Curves({ targets }: { readonly targets: readonly DrawnTarget[] }) {
  const height = targets.length * ROW_PX
  return (
    <svg
      className={styles['curves']}
      width={WIDTH_PX}
      height={height}
      viewBox={`0 0 ${WIDTH_PX} ${height}`}
      aria-hidden
    >
      {curvesOf(targets, ROW_PX).map(({ from, to, width }, index) => (
        <path
          key={to}
          d={`M0 ${from} C${WIDTH_PX / 2} ${from} ${WIDTH_PX / 2} ${to} ${WIDTH_PX} ${to}`}
          strokeWidth={width}
          className={targets[index]?.circuit === 'open' ? styles['broken'] : undefined}
        />
      ))}
    </svg>
  )
}

interface TargetCardProps {
  readonly target: DrawnTarget
  /** Its share, or its place. */
  readonly lead: string
  /** It comes after another one. */
  readonly isAfter?: boolean
}

function TargetCard({ target, lead, isAfter = false }: TargetCardProps) {
  const { namespace, provider, model, circuit, share, prices } = target
  const words = circuitWords(target)
  const { inputPerMillion: input, outputPerMillion: output } = prices ?? {}
  return (
    <li className={`${styles['target']} ${circuit === 'open' ? styles['off'] : ''}`}>
      {isAfter ? (
        <span className={styles['arrow']} aria-hidden>
          <Icon name="arrow" size={14} />
        </span>
      ) : (
        <meter className={styles['share']} min={0} max={1} value={share} aria-hidden />
      )}
      <div className={styles['what']}>
        <span className={styles['line']}>
          <span className="faint">{lead}</span>
          <CircuitTag circuit={circuit} />
        </span>
        <span className={styles['line']}>
          <Link to="/providers" search={{ item: `${namespace}/${provider}` } as never} className="link clip" dir="auto">
            {provider}
          </Link>
          <span className="mono clip" dir="auto" title={model}>
            {model}
          </span>
        </span>
        <span className="faint clip" dir="auto">
          {words === '' && input !== undefined && output !== undefined ? text.priced(input, output) : words}
        </span>
      </div>
    </li>
  )
}
