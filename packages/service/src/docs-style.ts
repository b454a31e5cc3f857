/** The looks of the docs page: readable in light and dark, on screens of any width, and on paper. */
export const docsStyle = `
:root { color-scheme: light dark; --line: color-mix(in srgb, CanvasText 16%, Canvas); --soft: color-mix(in srgb, CanvasText 5%, Canvas);
  --dim: color-mix(in srgb, CanvasText 62%, Canvas); --get: #1a7f4b; --post: #1f5fbf; --patch: #a05a00; --delete: #b3261e; }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; color: CanvasText; background: Canvas; }
main { display: grid; grid-template-columns: 15rem minmax(0, 52rem); gap: 3rem; max-width: 76rem; margin: 0 auto; padding: 2.5rem 1.5rem 6rem; }
nav { position: sticky; top: 2rem; align-self: start; max-height: calc(100vh - 4rem); overflow-y: auto; font-size: .9rem; }
nav a { display: block; padding: .15rem 0; color: inherit; text-decoration: none; }
nav a:hover { text-decoration: underline; }
h1 { margin: 0 0 .25rem; font-size: 2rem; letter-spacing: -.02em; }
h2 { margin: 3rem 0 1rem; padding-bottom: .35rem; border-bottom: 1px solid var(--line); font-size: 1.35rem; }
nav h2 { margin: 1.25rem 0 .25rem; padding: 0; border: 0; color: var(--dim); font-size: .75rem; letter-spacing: .06em; text-transform: uppercase; }
h3 { margin: 0 0 .25rem; font-size: 1.05rem; }
h4 { margin: 1.25rem 0 .35rem; color: var(--dim); font-size: .75rem; letter-spacing: .06em; text-transform: uppercase; }
code { font: .88em/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
article { margin: 0 0 1.25rem; padding: 1.1rem 1.25rem; border: 1px solid var(--line); border-radius: .5rem; scroll-margin-top: 1rem; }
article > code { display: block; margin: .4rem 0 .6rem; }
table { width: 100%; border-collapse: collapse; font-size: .92rem; }
td { padding: .35rem .75rem .35rem 0; border-top: 1px solid var(--line); vertical-align: top; }
td:first-child { width: 14rem; }
td:first-child small { display: block; color: var(--dim); }
.method { display: inline-block; min-width: 4.4rem; margin-right: .6rem; padding: .05rem .4rem; border-radius: .25rem; color: #fff; font-size: .78rem; font-weight: 600; text-align: center; }
.get { background: var(--get); } .post { background: var(--post); } .patch { background: var(--patch); } .delete { background: var(--delete); }
.dim { color: var(--dim); }
@media (max-width: 60rem) { main { grid-template-columns: minmax(0, 1fr); gap: 1rem; } nav { position: static; max-height: none; } }
@media print { nav { display: none; } main { display: block; } article { break-inside: avoid; } }
`;
