import { useLocation, useNavigate } from '@tanstack/react-router'
import { Tabs } from '#ui/parts/control/tabs.tsx'
import { Report } from '#ui/parts/page/card.tsx'
import { PageBar } from '#ui/parts/page/page-bar.tsx'
import { AboutTab } from './about-tab.tsx'
import { AccessTab } from './access-tab.tsx'
import { DisplayTab } from './display-tab.tsx'
import { KeyboardTab } from './keyboard-tab.tsx'
import { PluginsTab } from './plugins-tab.tsx'
import { settingsText as text } from './text.ts'

const panels = {
  access: AccessTab,
  plugins: PluginsTab,
  display: DisplayTab,
  keyboard: KeyboardTab,
  about: AboutTab,
} as const

type TabName = keyof typeof panels

const names = Object.keys(panels) as readonly TabName[]
const options = names.map((value) => ({ value, label: text.tabs[value] }))

/** Who am I, what may I do, what runs here? */
export function SettingsPage() {
  const shown = useLocation({ select: ({ pathname }) => pathname.split('/')[2] ?? '' })
  const tab = names.find((name) => name === shown) ?? 'access'
  const navigate = useNavigate()
  const Panel = panels[tab]
  const open = (next: TabName): void => {
    navigate({ to: `/settings/${next}`, search: true as never, replace: true }).catch(() => undefined)
  }
  return (
    <>
      <PageBar title={text.title} />
      <Tabs<TabName> label={text.title} value={tab} options={options} onChange={open}>
        <Report>
          <Panel />
        </Report>
      </Tabs>
    </>
  )
}
