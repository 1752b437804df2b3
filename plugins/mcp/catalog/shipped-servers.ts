/** A well-known public server, as its documentation describes it. */
export interface ShippedServer {
  readonly id: string
  readonly title: string
  readonly description: string
  /** Streamable HTTP endpoint. */
  readonly url: string
  readonly auth: 'none' | 'bearer' | 'oauth'
  readonly tags: readonly string[]
  /** Documentation of the server. */
  readonly source: string
}

/** Day on which the list was compiled. Addresses change: connecting one asks it. */
export const SHIPPED_AS_OF = '2026-11-30'

/** Well-known public servers, by id. */
export const shippedServers: readonly ShippedServer[] = [
  {
    id: 'atlassian',
    title: 'Atlassian',
    description: 'Jira issues and Confluence pages.',
    url: 'https://mcp.atlassian.com/v1/mcp',
    auth: 'oauth',
    tags: ['documents', 'issues'],
    source: 'https://github.com/atlassian/atlassian-mcp-server',
  },
  {
    id: 'cloudflare-docs',
    title: 'Cloudflare documentation',
    description: 'Search in the documentation of Cloudflare.',
    url: 'https://docs.mcp.cloudflare.com/mcp',
    auth: 'none',
    tags: ['documentation'],
    source: 'https://github.com/cloudflare/mcp-server-cloudflare',
  },
  {
    id: 'context7',
    title: 'Context7',
    description: 'Current documentation of programming libraries.',
    url: 'https://mcp.context7.com/mcp',
    auth: 'none',
    tags: ['development', 'documentation'],
    source: 'https://github.com/upstash/context7',
  },
  {
    id: 'deepwiki',
    title: 'DeepWiki',
    description: 'Questions about public GitHub repositories.',
    url: 'https://mcp.deepwiki.com/mcp',
    auth: 'none',
    tags: ['development', 'documentation'],
    source: 'https://docs.devin.ai/work-with-devin/deepwiki-mcp',
  },
  {
    id: 'github',
    title: 'GitHub',
    description: 'Repositories, issues, pull requests and workflows.',
    url: 'https://api.githubcopilot.com/mcp/',
    auth: 'bearer',
    tags: ['development', 'issues'],
    source: 'https://github.com/github/github-mcp-server',
  },
  {
    id: 'hugging-face',
    title: 'Hugging Face',
    description: 'Models, data sets, papers and spaces of the Hub.',
    url: 'https://huggingface.co/mcp',
    auth: 'none',
    tags: ['models', 'search'],
    source: 'https://huggingface.co/docs/hub/hf-mcp-server',
  },
  {
    id: 'linear',
    title: 'Linear',
    description: 'Issues, projects and comments.',
    url: 'https://mcp.linear.app/mcp',
    auth: 'oauth',
    tags: ['issues'],
    source: 'https://linear.app/docs/mcp',
  },
  {
    id: 'microsoft-learn',
    title: 'Microsoft Learn',
    description: 'Search in the documentation of Microsoft.',
    url: 'https://learn.microsoft.com/api/mcp',
    auth: 'none',
    tags: ['documentation'],
    source: 'https://github.com/MicrosoftDocs/mcp',
  },
  {
    id: 'notion',
    title: 'Notion',
    description: 'Pages and databases of a workspace.',
    url: 'https://mcp.notion.com/mcp',
    auth: 'oauth',
    tags: ['documents'],
    source: 'https://developers.notion.com/docs/mcp',
  },
  {
    id: 'sentry',
    title: 'Sentry',
    description: 'Errors, issues and projects.',
    url: 'https://mcp.sentry.dev/mcp',
    auth: 'oauth',
    tags: ['development', 'observability'],
    source: 'https://docs.sentry.io/product/sentry-mcp/',
  },
  {
    id: 'stripe',
    title: 'Stripe',
    description: 'Customers, payments and documentation of Stripe.',
    url: 'https://mcp.stripe.com',
    auth: 'oauth',
    tags: ['payments'],
    source: 'https://docs.stripe.com/mcp',
  },
  {
    id: 'vercel',
    title: 'Vercel',
    description: 'Projects, deployments and logs.',
    url: 'https://mcp.vercel.com',
    auth: 'oauth',
    tags: ['deployment', 'development'],
    source: 'https://vercel.com/docs/mcp/vercel-mcp',
  },
]
