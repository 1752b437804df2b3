import { Segmented } from '#ui/parts/control/segmented.tsx'
import { Card } from '#ui/parts/page/card.tsx'
import { chooseScheme, useScheme } from '#ui/parts/preference/theme.ts'
import type { SchemeChoice } from '#ui/parts/preference/theme.ts'
import { chooseZone, localZone, useZoneChoice } from '#ui/parts/preference/time-zone.ts'
import type { ZoneChoice } from '#ui/parts/preference/time-zone.ts'
import { useNow } from '#ui/parts/value/clock.ts'
import { Time } from '#ui/parts/value/time.tsx'
import { Facts } from './facts.tsx'
import styles from './settings.module.css'
import { settingsText } from './text.ts'

const { display: text } = settingsText

const schemes = (['light', 'dark', 'system'] as const).map((value) => ({ value, label: text.themes[value] }))

/** How this browser shows things: theme, time zone, language. */
export function DisplayTab() {
  const zones = text.zones(localZone())
  const options = (['utc', 'local'] as const).map((value) => ({ value, label: zones[value] }))
  return (
    <Card title={text.title}>
      <Facts
        facts={[
          [
            text.theme,
            <Segmented<SchemeChoice>
              key="theme"
              label={text.theme}
              value={useScheme()}
              options={schemes}
              onChange={chooseScheme}
            />,
          ],
          [
            text.zone,
            <Segmented<ZoneChoice>
              key="zone"
              label={text.zone}
              value={useZoneChoice()}
              options={options}
              onChange={chooseZone}
            />,
          ],
          [text.example, <Time key="now" isExact at={new Date(useNow()).toISOString()} />],
          [
            text.language,
            <span key="language">
              {text.english} <span className="faint">{text.languageHint}</span>
            </span>,
          ],
        ]}
      />
      <p className={`faint ${styles['note']}`}>{text.hint}</p>
    </Card>
  )
}
