/**
 * The styles of a reference, in a separate page or in the console, with the console's colours and
 * fonts: in light and dark, on screens of any width, and on paper.
 */
export const referenceStyle = `
.reference { --page: light-dark(#f6f7f9, #0f1218); --surface: light-dark(#fff, #161a22); --line: light-dark(#dde1e7, #2a303c);
  --line-strong: light-dark(#c3c9d3, #414a5a); --text: light-dark(#1b2130, #e6e9ef); --dim: light-dark(#545e70, #a3adbd);
  --accent: light-dark(#2b4fc7, #90adff); --accent-text: light-dark(#fff, #0d1430); --good: light-dark(#1d7247, #6bd39b);
  --warn: light-dark(#8a5a00, #f0bf5e); --bad: light-dark(#b3261e, #ff9c93);
  --mono: ui-monospace, 'SF Mono', 'Cascadia Mono', 'JetBrains Mono', Menlo, Consolas, 'Liberation Mono', monospace;
  display: grid; grid-template-columns: 15rem minmax(0, 52rem); gap: 3rem; color: var(--text);
  font: 14px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif; }
.reference, .reference * { box-sizing: border-box; }
.reference [hidden], .reference section:not(:has(> [data-words]:not([hidden]))) { display: none; }
.reference a { color: var(--accent); text-underline-offset: 2px; }
.reference nav { position: sticky; top: 2rem; align-self: start; max-height: calc(100vh - 4rem); padding: 2px; overflow-y: auto; font-size: 13px; }
.reference nav a { display: block; padding: .15rem 0; color: inherit; text-decoration: none; }
.reference nav a:hover { text-decoration: underline; }
.reference nav input { width: 100%; }
.reference h1 { margin: 0 0 .25rem; font-size: 20px; font-weight: 650; letter-spacing: -.012em; }
.reference h2 { margin: 2rem 0 .75rem; padding-bottom: .35rem; border-bottom: 1px solid var(--line); font-size: 15px; font-weight: 620; }
.reference section:first-of-type > h2 { margin-top: 1rem; }
.reference h3 { margin: 0 0 .25rem; font-size: 14px; font-weight: 620; }
.reference nav h2, .reference h4 { margin: 1.25rem 0 .25rem; padding: 0; border: 0; color: var(--dim); font-size: 12px; font-weight: 620; letter-spacing: .04em; text-transform: uppercase; }
.reference p { margin: .35rem 0; }
.reference code { font: 12.5px/1.4 var(--mono); overflow-wrap: anywhere; }
.reference article { margin: 0 0 1rem; padding: 14px 16px; border: 1px solid var(--line); border-radius: 6px; background: var(--surface); scroll-margin-top: 1rem; }
.reference article > code { display: block; margin: .4rem 0 .6rem; }
.reference table { width: 100%; border-collapse: collapse; font-size: 13px; }
.reference td { padding: .35rem .75rem .35rem 0; border-top: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
.reference td:first-child { width: 14rem; }
.reference td:first-child small { display: block; color: var(--dim); }
.reference .token { display: grid; gap: .25rem; margin: 1.5rem 0; padding: 14px 16px; border: 1px solid var(--line); border-radius: 6px; background: var(--surface); }
.reference .token small, .reference .dim { color: var(--dim); }
.reference .try { margin-top: 1rem; }
.reference .try summary { width: fit-content; cursor: pointer; color: var(--accent); font-weight: 600; }
.reference .try form { display: grid; gap: .6rem; margin-top: .6rem; padding: 14px 16px; border-radius: 6px; background: var(--page); }
.reference .try label { display: grid; grid-template-columns: minmax(7rem, 14rem) minmax(0, 1fr); align-items: center; gap: .75rem; font: 12.5px var(--mono); }
.reference input, .reference select, .reference textarea, .reference button { min-height: 32px; min-width: 0; padding: 4px 10px; border: 1px solid var(--line-strong); border-radius: 6px; color: var(--text); background: var(--surface); font: inherit; }
.reference textarea { width: 100%; resize: vertical; }
.reference .try button { justify-self: start; border-color: var(--accent); color: var(--accent-text); background: var(--accent); font-weight: 520; cursor: pointer; }
.reference .good { color: var(--good); } .reference .bad { color: var(--bad); }
.reference .answer { max-height: 24rem; margin: 0; padding: .75rem; overflow: auto; border: 1px solid var(--line); border-radius: 6px; background: var(--surface); font: 12.5px/1.45 var(--mono); white-space: pre-wrap; overflow-wrap: anywhere; }
.reference :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.reference .method { display: inline-block; min-width: 64px; margin-right: .6rem; padding: 1px 6px; border-radius: 4px; color: var(--accent-text); background: var(--accent); font-size: 12px; font-weight: 600; text-align: center; }
.reference .get { background: var(--good); } .reference .patch, .reference .put { background: var(--warn); } .reference .delete { background: var(--bad); }
@media (max-width: 60rem) { .reference { grid-template-columns: minmax(0, 1fr); gap: 1rem; } .reference nav { position: static; max-height: 16rem; } }
@media (max-width: 40rem) { .reference td:first-child { width: 9rem; } .reference .try label { grid-template-columns: minmax(0, 1fr); gap: .2rem; } }
@media print { .reference nav, .reference .token, .reference .try { display: none; } .reference { display: block; } .reference article { break-inside: avoid; } }
`;
