//! Writes the behaviour of a tool that is written as a function.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;

use super::{placed, private, quiet_about_closures};
use crate::model::{EffectsOption, Function, Model, Options, Parameter};

/// The `impl Tool` of a function: its body takes the parameters by clone.
pub(super) fn behaviour(function: &Function, model: &Model, options: &Options) -> TokenStream {
    let private = private(options.root.as_ref());
    let Function { lints, parameters, context, returned, output, body, .. } = function;
    let (ident, conditions) = (&model.item.ident, &model.conditions);
    let context = match context {
        Some(context) => context.to_token_stream(),
        None => quote_spanned!(Span::mixed_site()=> _cx: &#private::Cx<'_, Self>),
    };
    let parameters = parameters.iter().map(|Parameter { conditions, mutability, ident, ty }| {
        let here = ty.span().resolved_at(Span::mixed_site());
        let private = placed(&private, here);
        let value = quote_spanned!(here=> #private::Clone::clone(&self.#ident));
        quote_spanned!(Span::mixed_site()=> #(#conditions)* let #mutability #ident: #ty = #value;)
    });
    let effects = options.effects.as_ref().map(|(_, effects)| tell(effects, &private));
    quote_spanned! {Span::mixed_site()=>
        #(#conditions)*
        #(#lints)*
        impl #private::Tool for #ident {
            type Output = #output;

            #effects

            async fn call(&self, #context) #returned {
                #(#parameters)*
                #(#body)*
            }
        }
    }
}

fn tell(effects: &EffectsOption, private: &TokenStream) -> TokenStream {
    match effects {
        EffectsOption::None => quote_spanned! {Span::mixed_site()=>
            fn effects(&self, _cx: &#private::EffectsContext<'_>) -> #private::Effects {
                #private::Effects::none()
            }
        },
        EffectsOption::Of(function) => {
            // A function that does not fit is told at the function.
            let here = function.span().resolved_at(Span::mixed_site());
            let told = placed(private, here);
            let told = quote_spanned!(here=> #told::effects(self, cx, #function));
            let quiet = quiet_about_closures(std::iter::once(&**function));
            quote_spanned! {Span::mixed_site()=>
                #quiet
                fn effects(&self, cx: &#private::EffectsContext<'_>) -> #private::Effects {
                    #told
                }
            }
        }
    }
}
