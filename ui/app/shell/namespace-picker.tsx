import { useQuery } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { Namespace } from '../../../schemas/api/identity.ts'
import { apiQuery } from '../../api/queries.ts'
import { useAddress } from '../../contract/search.ts'
import { OptionList } from '../../parts/filter/option-list.tsx'
import type { ListOption } from '../../parts/filter/option-list.tsx'
import { Icon } from '../../parts/icon/icon.tsx'
import { Popover } from '../../parts/overlay/popover.tsx'
import { text } from '../../text/en.ts'
import styles from './shell.module.css'

interface NamespacePage {
  readonly items: readonly Static<typeof Namespace>[]
}

const ANNOTATION = 'mesh.dev/display-name'
/** The most that a page has; the search of the list finds among these. */
const LIMIT = 200

/** The namespace of all pages, by its display name. It stands in the address. */
export function NamespacePicker() {
  const [{ namespace }, change] = useAddress()
  const { data } = useQuery({
    ...apiQuery<NamespacePage>(['namespaces'], { scope: 'permitted', limit: LIMIT }),
    staleTime: 60_000,
  })
  const options = (data?.items ?? []).map(toOption)
  const shown = options.find(({ value }) => value === namespace)
  return (
    <Popover
      label={text.namespace.label}
      trigger={(props) => (
        <button type="button" className={styles['wideButton']} {...props}>
          <Mark />
          <span className={styles['two']}>
            <b className="clip" dir="auto">
              {namespace === undefined ? text.namespace.all : (shown?.label ?? namespace)}
            </b>
            <span className="clip">{location.host}</span>
          </span>
          <Icon name="select" size={14} />
        </button>
      )}
    >
      {(close) => (
        <OptionList
          label={text.namespace.label}
          options={[{ value: '', label: options.length === 0 ? text.namespace.none : text.namespace.all }, ...options]}
          value={namespace ?? ''}
          onPick={(picked) => {
            close()
            // The page of the list is another one.
            change({ namespace: picked, cursor: undefined })
          }}
        />
      )}
    </Popover>
  )
}

function toOption({ metadata }: Static<typeof Namespace>): ListOption {
  const { name = '', annotations } = metadata as {
    readonly name?: string
    readonly annotations?: Readonly<Record<string, string>>
  }
  return { value: name, label: annotations?.[ANNOTATION] ?? name }
}

function Mark() {
  return (
    <span className={styles['mark']} aria-hidden>
      <svg width="14" height="14" viewBox="0 0 14 14" fill="none" stroke="currentColor" strokeWidth="1.8">
        <path d="M2 11.5V3l5 5 5-5v8.5" strokeLinecap="round" strokeLinejoin="round" />
      </svg>
    </span>
  )
}
