import type { IconName } from '../../parts/icon/icons.ts'

/** Icons of pages by their id; an entry of a plugin may name its own. */
const pageIcons: Readonly<Record<string, IconName>> = {
  home: 'home',
  agents: 'agent',
  templates: 'stack',
  workflows: 'route',
  teams: 'team',
  prompts: 'message',
  knowledge: 'book',
  approvals: 'approvals',
  runs: 'activity',
  shares: 'share',
  traces: 'bars',
  cost: 'coin',
  alerts: 'alert',
  audit: 'audit',
  evals: 'scale',
  datasets: 'data',
  feedback: 'feedback',
  providers: 'plug',
  modelroutes: 'list',
  secretbindings: 'key',
  mcpservers: 'server',
  connectors: 'world',
  tools: 'tool',
  mcpapprovals: 'approvals',
  mcpgrants: 'key',
  topology: 'sitemap',
  agentregistries: 'stack',
  scaling: 'gauge',
  guardrails: 'shield',
  tenants: 'person',
  namespaces: 'world',
  settings: 'settings',
}

/** The icon of a page. */
export function pageIcon(id: string): IconName {
  return pageIcons[id] ?? 'dashed'
}
