import { text } from '../../text/en.ts'
import { Button } from '../control/button.tsx'
import { SearchField } from '../control/search-field.tsx'
import styles from './trace.module.css'

interface WaterfallToolsProps {
  readonly words: string
  readonly onWords: (words: string) => void
  readonly isCritical: boolean
  readonly onCritical: (isOn: boolean) => void
  readonly isZoomed: boolean
  readonly onFit: () => void
  readonly shown: number
  readonly all: number
}

/** Filter, critical path and Fit of a waterfall. */
export function WaterfallTools(props: WaterfallToolsProps) {
  const { words, onWords, isCritical, onCritical, isZoomed, onFit, shown, all } = props
  return (
    <div className={styles['tools']}>
      <SearchField label={text.trace.filter} value={words} onChange={onWords} />
      <Button
        isSmall
        kind={isCritical ? 'default' : 'quiet'}
        icon="route"
        aria-pressed={isCritical}
        onClick={() => onCritical(!isCritical)}
      >
        {text.trace.critical}
      </Button>
      {isZoomed ? (
        <Button isSmall kind="quiet" icon="fit" onClick={onFit}>
          {text.trace.fit}
        </Button>
      ) : undefined}
      <span className="grow" />
      <span className={`num ${styles['shown']}`}>{text.trace.shown(shown, all)}</span>
    </div>
  )
}
