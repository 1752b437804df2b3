import { useNavigate } from '@tanstack/react-router'
import { useAddress } from '#ui/contract/search.ts'
import { Segmented } from '#ui/parts/control/segmented.tsx'
import { toolsText as text } from './text.ts'

const paths = { tools: '/tools', bindings: '/tools/bindings', registries: '/tools/registries' } as const

/** The lists of the section, of which one is shown. */
export type ToolView = keyof typeof paths

/** Opens another list; the namespace stays. */
export function ToolViews({ shown }: { readonly shown: ToolView }) {
  const [{ namespace }] = useAddress()
  const navigate = useNavigate()
  return (
    <Segmented<ToolView>
      label={text.view}
      value={shown}
      options={(['tools', 'bindings', 'registries'] as const).map((value) => ({ value, label: text.views[value] }))}
      onChange={(view) => {
        const search = namespace === undefined ? '' : `?namespace=${encodeURIComponent(namespace)}`
        navigate({ href: `${paths[view]}${search}` }).catch(() => undefined)
      }}
    />
  )
}

/** The views beside the list of bindings. */
export function BindingViews() {
  return <ToolViews shown="bindings" />
}

/** The views beside the list of registries. */
export function RegistryViews() {
  return <ToolViews shown="registries" />
}
