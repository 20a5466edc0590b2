// SPDX-License-Identifier: Apache-2.0
#include "repl/report/page.h"

#include <algorithm>

#include "frontend/print/highlight.h"

namespace mlc::repl {

namespace {

// Colours by what they mean; both schemes keep text at a contrast of 4.5 and more to what is behind it (that
// of WCAG 2.1, AA). Nothing is said by colour alone: names, labels and tips say it too.
constexpr std::string_view kLight =
    R"(--paper:#fbfbf9;--card:#fff;--ink:#1b1f24;--soft:#5b6470;--rule:#dfe1dd;--faint:#f1f2ef;
--serial:#646c76;--parallel:#2563c9;--vectorized:#ad4f08;--unrolled:#14783a;--thread:#7c3aed;--accent:#2563c9;
--good:#14783a;--known:#0f766e;--open:#976000;--bad:#c0262d;--plus:#14783a;--minus:#c0262d;--plusback:#e8f6ec;--minusback:#fcecec;
--b0:#2f6fdb;--b1:#c2620c;--b2:#0f8a6a;--b3:#a83a93;--b4:#64748b;--b5:#8a6a00;
--mono:ui-monospace,"SF Mono","Cascadia Code",Menlo,Consolas,"DejaVu Sans Mono",monospace;
--sans:system-ui,-apple-system,"Segoe UI","Noto Sans","DejaVu Sans",sans-serif;)";
constexpr std::string_view kDark =
    R"(--paper:#15181c;--card:#1c2026;--ink:#e6e8eb;--soft:#a2abb6;--rule:#333a43;--faint:#22272e;
--serial:#98a2ae;--parallel:#7aaeff;--vectorized:#f0a14b;--unrolled:#5cc98a;--thread:#b79bff;--accent:#7aaeff;
--good:#5cc98a;--known:#4fc4b6;--open:#e0b04a;--bad:#ff8a8a;--plus:#7fd6a2;--minus:#ff9c9c;--plusback:#1a2e22;--minusback:#35201f;
--b0:#7aaeff;--b1:#f0a14b;--b2:#4fc49a;--b3:#e38bd0;--b4:#a9b5c4;--b5:#d8bd58;)";

// Of drawings. It is for programs that know less of CSS than browsers, too.
constexpr std::string_view kDrawingStyle = R"(
svg{font:12px var(--mono);fill:var(--ink);background:var(--paper)}
text{white-space:pre}
.h1{font:600 17px var(--sans)}.h2{font:600 13px var(--sans)}.note{font:12px var(--sans);fill:var(--soft)}
.soft{fill:var(--soft)}.small{font-size:11px;fill:var(--soft)}.strong{font-weight:600}
.under{fill:var(--paper)}.box{fill:currentColor;fill-opacity:.07;stroke:currentColor;stroke-opacity:.55}
.bar{fill:currentColor;fill-opacity:.8}.bed{fill:var(--faint)}
.frame{fill:var(--card);stroke:var(--rule)}
.card{fill:var(--card);stroke:var(--rule)}
.block{color:var(--soft)}.block>.box{fill:var(--card);fill-opacity:1;stroke:var(--ink);stroke-opacity:.5}
.chip{fill:currentColor;fill-opacity:.14}.chip-text{font-size:11px;fill:currentColor}
.axis{stroke:var(--soft);fill:none}.grid{stroke:var(--rule);fill:none}.cut{stroke:var(--soft);stroke-dasharray:3 3;fill:none}
.dots{fill:none;stroke:currentColor;stroke-width:1.6}.curve{fill:none;stroke:currentColor;stroke-width:2}.ink{color:var(--ink)}
.dot{fill:currentColor;stroke:var(--paper);stroke-width:1.5}
.edge{fill:none;stroke:var(--soft);stroke-opacity:.6;stroke-width:1.2}.fold{stroke-dasharray:5 4}.kind{font-size:11px;fill:currentColor}
.tinted{fill:currentColor}.stem{stroke:currentColor;stroke-opacity:.5;stroke-width:2;fill:none}.row{fill-opacity:.6}
.serial{color:var(--serial)}.parallel{color:var(--parallel)}.vectorized{color:var(--vectorized)}.unrolled{color:var(--unrolled)}
.thread{color:var(--thread)}.branch{color:var(--open)}
.proved{color:var(--good)}.tested{color:var(--known)}.unchecked{color:var(--open)}.wrong{color:var(--bad)}.none{color:var(--serial)}
.b0{color:var(--b0)}.b1{color:var(--b1)}.b2{color:var(--b2)}.b3{color:var(--b3)}.b4{color:var(--b4)}.b5{color:var(--b5)}
.hit:hover>.box,.lit>.box{stroke-opacity:1;stroke-width:2}
.hit:hover>.bed,.lit>.bed{fill:var(--rule)}.hit:hover>.bar,.lit>.bar{fill-opacity:1}
)";

constexpr std::string_view kPageStyle = R"(
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.55 var(--sans)}
header,main,footer{max-width:1500px;margin:0 auto;padding:0 28px}
header{padding-top:30px;padding-bottom:6px}
h1{font-size:25px;line-height:1.25;margin:0 0 4px;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{font-size:18px;margin:34px 0 10px}
p{margin:0 0 12px;max-width:78ch}.sub,footer{color:var(--soft)}
footer{font-size:13px;padding-top:26px;padding-bottom:34px}
code,pre,.mono{font-family:var(--mono);font-size:13px}
a{color:var(--accent);text-decoration:none}a:hover{text-decoration:underline}
.beside{display:grid;grid-template-columns:minmax(0,1fr);gap:22px;align-items:start;margin-top:14px}
@media (min-width:1080px){.beside.two{grid-template-columns:minmax(0,3fr) minmax(0,2fr)}
.beside aside{position:sticky;top:16px;max-height:calc(100vh - 32px)}}
.panel,figure,aside{border:1px solid var(--rule);border-radius:10px;background:var(--card)}
aside{overflow:auto}
figure{margin:0;position:relative;overflow:hidden;background:var(--paper)}
figure>svg{display:block;width:100%;height:auto;max-width:100%;touch-action:pan-y}
figure.zoomed>svg{cursor:grab}figure:focus-visible{outline:2px solid var(--accent)}
.tools{display:flex;gap:4px;align-items:center;border-top:1px solid var(--rule);background:var(--card);padding:5px 8px 5px 14px;color:var(--soft);font-size:12.5px}
.tools span{flex:1}.tools button{width:26px;height:26px;border:1px solid var(--rule);border-radius:7px;background:none;color:var(--ink);font:15px var(--sans);cursor:pointer;padding:0}
.tools button:hover{border-color:var(--accent)}
pre{margin:0;line-height:1.5;overflow-x:auto}
pre.listing{padding:10px 0;counter-reset:l;min-width:max-content}
.l{display:block;min-height:1.5em;padding:0 16px 0 0}
.l::before{counter-increment:l;content:counter(l);display:inline-block;width:4ch;margin-right:2ch;text-align:right;color:var(--soft);opacity:.75;user-select:none}
.l.to::before{color:var(--accent);opacity:1;font-weight:700}.l.to{cursor:pointer}
.l.lit,.l:target{background:color-mix(in srgb,var(--accent) 14%,transparent)}
.rest::before{content:""}.rest{color:var(--soft)}
.ck{color:var(--thread)}.ct{color:var(--unrolled)}.cn{color:var(--parallel)}.cc{color:var(--soft);font-style:italic}.cd{color:var(--vectorized)}
#tip{position:fixed;z-index:9;pointer-events:none;max-width:min(46ch,90vw);padding:7px 11px;border-radius:8px;background:var(--ink);color:var(--paper);
font:13px/1.45 var(--sans);white-space:pre-line;box-shadow:0 4px 18px #0004;overflow-wrap:anywhere}
@media print{.tools,#tip{display:none}.beside aside{position:static;max-height:none}body{background:#fff}}
)";

// Moves what the drawing says into one tip that follows the pointer; links elements of one line and one
// group; zooms figures: buttons, Ctrl and wheel, double click, + - 0 of the one in focus, and moves what is
// zoomed.
constexpr std::string_view kScript = R"(
(()=>{const D=document,all=(s,r=D)=>[...r.querySelectorAll(s)];
all('figure>svg>title').forEach(t=>{t.parentNode.setAttribute('aria-label',t.textContent);t.remove()});
all('svg g>title').forEach(t=>{t.parentNode.dataset.tip=t.textContent;t.remove()});
const tip=D.createElement('div');tip.id='tip';tip.hidden=true;D.body.append(tip);
let lit=[];
const unlight=()=>{lit.forEach(e=>e.classList.remove('lit'));lit=[]};
D.addEventListener('pointerover',e=>{const t=e.target.closest('[data-tip]');tip.hidden=!t;if(t)tip.textContent=t.dataset.tip;
unlight();const g=e.target.closest('[data-line],[data-group]');if(!g)return;const box=g.closest('.beside')||D,{line,group}=g.dataset;
lit=all('[data-line],[data-group]',box).filter(x=>line&&x.dataset.line===line||group&&x.dataset.group===group);
lit.forEach(x=>x.classList.add('lit'));
const l=lit.find(x=>x.classList.contains('l'));const a=l&&l.closest('aside');
if(a&&!a.contains(e.target)&&a.scrollHeight>a.clientHeight){const r=l.getBoundingClientRect(),s=a.getBoundingClientRect();
if(r.top<s.top||r.bottom>s.bottom)a.scrollTop+=r.top-s.top-s.height/3}});
D.addEventListener('pointermove',e=>{if(tip.hidden)return;const w=tip.offsetWidth,h=tip.offsetHeight;
tip.style.left=Math.max(6,Math.min(e.clientX+14,innerWidth-w-8))+'px';
tip.style.top=(e.clientY+18+h>innerHeight?e.clientY-h-12:e.clientY+18)+'px'});
all('.l[data-to]').forEach(l=>l.addEventListener('click',()=>{location.hash=l.dataset.to}));
all('figure').forEach(f=>{const s=f.querySelector('svg'),v=s.viewBox.baseVal,W=v.width,H=v.height;let b=[0,0,W,H],drag=null;
const set=n=>{n[2]=Math.min(n[2],W);n[3]=Math.min(n[3],H);n[0]=Math.max(0,Math.min(n[0],W-n[2]));n[1]=Math.max(0,Math.min(n[1],H-n[3]));
b=n;s.setAttribute('viewBox',n.join(' '));f.classList.toggle('zoomed',n[2]<W-.5)};
const zoom=(k,x=.5,y=.5)=>{const w=Math.max(W/16,b[2]/k),h=H*w/W;set([b[0]+(b[2]-w)*x,b[1]+(b[3]-h)*y,w,h])};
const at=e=>{const r=s.getBoundingClientRect();return[(e.clientX-r.left)/r.width,(e.clientY-r.top)/r.height]};
const act={in:()=>zoom(1.5),out:()=>zoom(1/1.5),all:()=>set([0,0,W,H])};
all('button',f).forEach(x=>x.addEventListener('click',()=>act[x.dataset.do]()));
f.addEventListener('keydown',e=>{const d={'+':'in','=':'in','-':'out','0':'all'}[e.key];if(d&&!e.ctrlKey&&!e.metaKey)act[d]()});
s.addEventListener('wheel',e=>{if(e.ctrlKey||e.metaKey){e.preventDefault();zoom(Math.exp(-e.deltaY/300),...at(e))}},{passive:false});
s.addEventListener('dblclick',e=>zoom(2,...at(e)));
s.addEventListener('pointerdown',e=>{if(b[2]<W-.5){drag=[e.clientX,e.clientY,b];s.setPointerCapture(e.pointerId)}});
s.addEventListener('pointermove',e=>{if(!drag)return;const r=s.getBoundingClientRect(),o=drag[2];
set([o[0]-(e.clientX-drag[0])*o[2]/r.width,o[1]-(e.clientY-drag[1])*o[3]/r.height,o[2],o[3]])});
['pointerup','pointercancel'].forEach(n=>s.addEventListener(n,()=>{drag=null}))})})();
)";

char colour_class(print::Role role) {
  switch (role) {
    case print::Role::kText:
      return 't';
    case print::Role::kNumber:
      return 'n';
    case print::Role::kComment:
      return 'c';
    case print::Role::kDecorator:
      return 'd';
    default:
      return 'k';
  }
}

// A style with the values of variables that `values` has: "--ink:#1b1f24;...".
std::string with_values(std::string_view style, std::string_view values) {
  std::string out;
  constexpr std::string_view kUse = "var(";
  for (size_t at; (at = style.find(kUse)) != std::string_view::npos;) {
    size_t end = style.find(')', at) + 1;
    std::string_view name = style.substr(at + kUse.size(), end - 1 - at - kUse.size());
    size_t value = values.find(fmt::format("{}:", name));
    out += style.substr(0, at);
    out += value == std::string_view::npos
               ? style.substr(at, end - at)
               : values.substr(value + name.size() + 1, values.find(';', value) - value - name.size() - 1);
    style.remove_prefix(end);
  }
  return out.append(style);
}

}  // namespace

// Programs that draw no more than SVG itself know no variables: a file that is a drawing has the colours in
// place, light ones first, since many know no media either.
std::string svg_file(const Plot& plot) {
  std::string style =
      fmt::format("{}@media (prefers-color-scheme:dark){{{}}}", with_values(kDrawingStyle, kLight),
                  with_values(with_values(kDrawingStyle, kDark), kLight));
  return fmt::format("{}{}\n", kDrawingMark, plot.drawing.element(plot.title, plot.caption, style));
}

std::string figure(const Plot& plot) {
  return fmt::format(
      "<figure tabindex=\"0\">{}<div class=\"tools\"><span>Point at something to learn more. Ctrl and the "
      "wheel zoom.</span><button data-do=\"out\" aria-label=\"smaller\">\xe2\x88\x92</button>"
      "<button data-do=\"in\" aria-label=\"larger\">+</button>"
      "<button data-do=\"all\" aria-label=\"all of it\">\xe2\xa4\xa2</button></div></figure>\n",
      plot.drawing.element(plot.title, plot.caption));
}

std::string listing(std::string_view program, size_t most, const std::vector<LineLink>& links) {
  std::vector<print::Piece> pieces = print::highlighted(program);
  auto piece = pieces.begin();
  std::string out = "<pre class=\"listing\"><code>";
  size_t number = 0;
  for (size_t begin = 0; begin < program.size();) {
    size_t end = std::min(program.find('\n', begin), program.size());
    ++number;
    auto link = std::ranges::find(links, number, &LineLink::line);
    std::string line =
        link == links.end()
            ? fmt::format("<span class=\"l\" data-line=\"{}\">", number)
            : fmt::format("<span class=\"l to\" id=\"L{0}\" data-line=\"{0}\" data-to=\"{1}\">", number,
                          link->target);
    for (size_t at = begin; at < end;) {
      while (piece != pieces.end() && piece->end <= at) ++piece;
      bool inside = piece != pieces.end() && piece->begin <= at;
      size_t stop = piece == pieces.end() ? end : std::min(end, inside ? piece->end : piece->begin);
      std::string text = escape(program.substr(at, stop - at));
      line += inside ? fmt::format("<span class=\"c{}\">{}</span>", colour_class(piece->role), text) : text;
      at = stop;
    }
    line += "</span>";
    if (out.size() + line.size() > most) {
      auto left = std::count(program.begin() + static_cast<ptrdiff_t>(begin), program.end(), '\n') +
                  (program.ends_with('\n') ? 0 : 1);
      out += fmt::format("<span class=\"l rest\">\xe2\x80\xa6 {} more lines</span>", left);
      for (const LineLink& each : links)  // what leads to one of them leads here
        if (each.line >= number) out += fmt::format("<span id=\"L{}\"></span>", each.line);
      break;
    }
    out += line;
    begin = end + 1;
  }
  return out + "</code></pre>";
}

std::string html_page(std::string_view title, std::string_view body) {
  return fmt::format(
      "{}<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';style-src "
      "'unsafe-inline';script-src "
      "'unsafe-inline'\">\n<title>{}</title>\n<style>:root{{color-scheme:light dark;{}}}\n@media "
      "(prefers-color-scheme:dark){{:root{{{}}}}}\n"
      "{}{}</style></head>\n<body>\n{}\n"
      "<script>{}</script></body></html>\n",
      kPageMark, escape(title), kLight, kDark, kDrawingStyle, kPageStyle, body, kScript);
}

std::string html_file(const Plot& plot) {
  std::string shown = figure(plot);
  size_t left = kMostBytes - std::min(kMostBytes, shown.size() + 16'000);
  std::string beside =
      plot.source.empty()
          ? ""
          : fmt::format("<aside>{}</aside>", listing(plot.source, std::min<size_t>(left, 90'000)));
  return html_page(plot.title, fmt::format("<header><h1>{}</h1><p class=\"sub\">{}</p></header>\n<main><div "
                                           "class=\"beside{}\">{}{}</div></main>\n"
                                           "<footer>mlc {}</footer>",
                                           escape(plot.title), escape(plot.caption),
                                           beside.empty() ? "" : " two", shown, beside, MLC_VERSION));
}

}  // namespace mlc::repl
