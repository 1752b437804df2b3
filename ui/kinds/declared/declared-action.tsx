import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiProblem } from '../../api/api-problem.ts'
import { sendApi } from '../../api/request-api.ts'
import { Button } from '../../parts/control/button.tsx'
import { SchemaForm } from '../../parts/form/schema-form.tsx'
import { ConfirmDialog } from '../../parts/overlay/confirm-dialog.tsx'
import { showToast } from '../../parts/overlay/toast-store.ts'
import { ProblemState } from '../../parts/state/problem-state.tsx'
import { kindText as text } from '../../text/kinds.ts'
import { bodyOf } from '../served-kind.ts'
import { useApiDocument } from '../use-kind.ts'
import { fillPath, namesOf } from './declaration.ts'
import type { DeclaredAction, Declaration, PathNames } from './declaration.ts'

interface RowActionsProps {
  readonly declaration: Declaration
  readonly item: unknown
  readonly names: PathNames
}

/** The declared actions of an item. */
export function RowActions({ declaration, item, names }: RowActionsProps) {
  const [picked, setPicked] = useState<DeclaredAction>()
  const own = namesOf(item, declaration, names)
  return (
    <>
      {declaration.actions.map((action) =>
        fillPath(action.path, own) === undefined ? undefined : (
          <Button key={action.title} isSmall onClick={() => setPicked(action)}>
            {action.title}
          </Button>
        ),
      )}
      {picked === undefined ? undefined : (
        <ActionDialog action={picked} names={own} onClose={() => setPicked(undefined)} />
      )}
    </>
  )
}

interface ActionDialogProps {
  readonly action: DeclaredAction
  readonly names: PathNames
  readonly onClose: () => void
}

// What a route of a third party does is not known, so that each action asks once. A route with a body has its form.
function ActionDialog({ action: { title, method, path }, names, onClose }: ActionDialogProps) {
  const queries = useQueryClient()
  const [error, setError] = useState<Error>()
  const [isBusy, setBusy] = useState(false)
  const [yaml, setYaml] = useState('{}\n')
  const { data: document } = useApiDocument()
  const schema = document === undefined ? undefined : bodyOf(document, { method, path })
  const segments = fillPath(path, names) ?? []
  const send = async (): Promise<void> => {
    setBusy(true)
    try {
      const given = schema === undefined ? {} : { body: await readBody(yaml) }
      await sendApi({ method, path: segments, ...given })
      queries.invalidateQueries({ queryKey: segments.slice(0, 2) }).catch(() => undefined)
      showToast({ kind: 'done', message: text.declared.done(title) })
      onClose()
    } catch (problem) {
      setError(problem instanceof Error ? problem : new Error(String(problem)))
      setBusy(false)
    }
  }
  const refused = error instanceof ApiProblem ? error.facts.errors : undefined
  return (
    <ConfirmDialog
      title={title}
      effects={[text.declared.effect(method, `/api/${segments.join('/')}`)]}
      action={title}
      isDanger={method === 'DELETE'}
      isBusy={isBusy || document === undefined}
      onConfirm={() => {
        send().catch(() => undefined)
      }}
      onClose={onClose}
    >
      {schema === undefined ? undefined : (
        <SchemaForm label={title} value={yaml} onChange={setYaml} schema={schema} refused={refused} />
      )}
      {error === undefined ? undefined : <ProblemState error={error} />}
    </ConfirmDialog>
  )
}

// The reader comes with the form, which is loaded when the dialog is open.
async function readBody(yaml: string): Promise<unknown> {
  const { readYaml } = await import('../../parts/yaml/yaml-source.ts')
  return readYaml(yaml).value
}
