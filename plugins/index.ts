import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { a2aProtocol } from './a2a/index.ts'
import { agents } from './agents/index.ts'
import { audit } from './audit/index.ts'
import { budgets } from './budgets/index.ts'
import { cost } from './cost/index.ts'
import { datasets } from './datasets/index.ts'
import { erasures } from './erasures/index.ts'
import { evals } from './evals/index.ts'
import { feedback } from './feedback/index.ts'
import { guardrails } from './guardrails/index.ts'
import { identity } from './identity/index.ts'
import { knowledge } from './knowledge/index.ts'
import { mcp } from './mcp/index.ts'
import { agentMemory } from './memory/index.ts'
import { overviewPlugin } from './overview/index.ts'
import { pruning } from './pruning/index.ts'
import { integrations } from './integrations/index.ts'
import { prompts } from './prompts/index.ts'
import { providers } from './providers/index.ts'
import { recording } from './recording/index.ts'
import { registries } from './registries/index.ts'
import { runs } from './runs/index.ts'
import { secretBindings } from './secrets/index.ts'
import { sharing } from './sharing/index.ts'
import { templates } from './templates/index.ts'
import { tenants } from './tenants/index.ts'
import { traces } from './traces/index.ts'

/** Every plugin of the platform, in load order of independent plugins. */
export const plugins: readonly AnyPlugin[] = [
  identity,
  agents,
  templates,
  runs,
  a2aProtocol,
  sharing,
  registries,
  integrations,
  providers,
  budgets,
  tenants,
  cost,
  overviewPlugin,
  feedback,
  datasets,
  traces,
  knowledge,
  mcp,
  recording,
  agentMemory,
  guardrails,
  prompts,
  secretBindings,
  evals,
  audit,
  pruning,
  erasures,
]
